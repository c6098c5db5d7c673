/** The client against a real service, whose address and key the environment names. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import {
    type AlertEventView,
    Client,
    type ClientOptions,
    CodeError,
    ConnectionError,
    KeyReused,
    Moved,
    NotAllowed,
    NotFound,
    Rejected,
    ServiceError,
    UacError,
} from "user-as-code";
import { type Fate, UnreliableProxy } from "./unreliable_proxy.js";

const address = process.env.UAC_ADDRESS ?? "";
const key = process.env.UAC_KEY ?? "";

const newUser = (more: Partial<ClientOptions> = {}, name: string = randomUUID()) =>
    new Client({ address, key, firstWait: 1, ...more }).user(name);

/** A user with an alert: it takes what it does not bear. */
async function allergicUser() {
    const user = newUser();
    const { positions } = await user.add("I get hives from penicillin.");
    await user.put("health.Allergy", { substance: "penicillin", reaction: "hives" }, { cites: positions });
    const put = await user.put("health.Medication", { name: "amoxicillin" });
    return { user, put };
}

test("what is added comes back in the context, and a record raises an alert", async () => {
    const { user, put } = await allergicUser();
    assert.equal(put.record, "health.Medication:amoxicillin");
    assert.deepEqual(
        put.alerts.map(({ change, constraint, severity }) => [change, constraint, severity]),
        [["raised", "drug_allergy", "critical"]],
    );
    const context = await user.context("What am I allergic to?");
    assert.match(context.text, /penicillin/);
    const { standing } = await user.alerts();
    assert.deepEqual(
        standing.map((alert) => alert.constraint),
        ["drug_allergy"],
    );
    await user.acknowledge({ constraint: "drug_allergy", subject: standing[0]?.subject ?? "" });
    assert.equal((await user.alerts()).standing[0]?.state, "acknowledged");
});

test("words are remembered together with the facts and records made of them", async () => {
    const user = newUser();
    const remembered = await user.remember("Nuts make me ill.", {
        facts: [{ text: "Nuts make the user ill.", quote: "Nuts make me ill" }],
        records: [{ type: "health.Allergy", fields: { substance: "nuts" }, cites: [1] }],
    });
    assert.deepEqual(remembered.records, ["health.Allergy:nuts"]);
    const { hits } = await user.recall("ill", { kinds: ["observation"], k: 1 });
    assert.deepEqual(
        hits.map((hit) => hit.text),
        ["Nuts make me ill."],
    );
});

test("records are listed by page, read, explained, corrected and computed over", async () => {
    const { user } = await allergicUser();
    const all: string[] = [];
    for await (const record of user.allRecords("health", { limit: 1 })) {
        all.push(record.record);
    }
    assert.deepEqual(all.sort(), ["health.Allergy:penicillin", "health.Medication:amoxicillin"]);
    const page = await user.records("health.Allergy");
    assert.deepEqual(page.records, [await user.record("health.Allergy:penicillin")]);
    await user.correct("health.Allergy:penicillin", "reaction", "rash", { why: "it was never hives" });
    const { claims } = await user.explain("health.Allergy:penicillin", "reaction");
    assert.deepEqual(
        claims.filter((claim) => claim.stands).map((claim) => claim.value),
        ["rash"],
    );
    const computed = await user.compute("[a.reaction for a in health.allergies]");
    assert.deepEqual([computed.value, computed.is_complete], [["rash"], true]);
});

test("every operation of the document can be called by its name", async () => {
    const { user } = await allergicUser();
    const client = new Client({ address: `${address}/v1/`, key });
    const { users } = await client.call("list_users", { query: { limit: 1000 } });
    assert.ok(users.some((found) => found.user === user.name));
    const { files } = await user.call("list_project_files", {});
    const path = Object.keys(files).find((file) => file.includes("/")) ?? "";
    assert.ok((await user.call("read_project_file", { path: { path } })).length > 0);
    const archive = await user.call("export_project", {});
    assert.deepEqual([...archive.subarray(0, 2)], [0x50, 0x4b]); // a ZIP file
    assert.equal(await user.call("erase_user", {}), undefined);
    await assert.rejects(user.alerts(), NotFound);
});

test("a problem is an error of its kind, with the reasons of the service", async () => {
    const { user } = await allergicUser();
    await assert.rejects(user.put("health.Allergy", { colour: "red" }), (error) => {
        assert.ok(error instanceof Rejected && error instanceof ServiceError && error instanceof UacError);
        assert.deepEqual([error.name, error.status, error.problem.title], ["Rejected", 422, "Rejected"]);
        assert.match(error.reasons[0] ?? "", /health.Allergy has no field colour/);
        return true;
    });
    await assert.rejects(user.compute("1 / 0"), CodeError);
    await assert.rejects(newUser().alerts(), NotFound);
    await assert.rejects(newUser({ key: "uac_mistyped" }).alerts(), NotAllowed);
});

test("a change with the tag of an older state is not made", async () => {
    const user = newUser();
    await user.add("I like tea.");
    const ifMatch = await user.tag();
    await user.add({ text: "I also take ibuprofen.", session: "monday" });
    await assert.rejects(user.put("health.Medication", { name: "naproxen" }, {}, { ifMatch }), Moved);
    const seen = { ifMatch: await user.tag() };
    assert.equal((await user.put("health.Medication", { name: "naproxen" }, {}, seen)).is_repeated, false);
});

test("a change with the same idempotency key is made once, and another change with it is refused", async () => {
    const user = newUser();
    const options = { idempotencyKey: "form-81" };
    const first = await user.put("health.Allergy", { substance: "latex" }, {}, options);
    const again = await user.put("health.Allergy", { substance: "latex" }, {}, options);
    assert.deepEqual([again.first, again.is_repeated], [first.first, true]);
    await assert.rejects(user.put("health.Allergy", { substance: "nuts" }, {}, options), KeyReused);
});

async function behindProxy(fates: Fate[], check: (proxied: string, proxy: UnreliableProxy) => Promise<void>) {
    const proxy = new UnreliableProxy(address, fates);
    try {
        await check(await proxy.listen(), proxy);
    } finally {
        await proxy[Symbol.asyncDispose]();
    }
}

test("a change whose answer is lost is sent again and made once", () =>
    behindProxy(["lose", "lose"], async (proxied, proxy) => {
        const user = newUser({ address: proxied });
        assert.equal((await user.put("health.Allergy", { substance: "latex" })).is_repeated, true);
        assert.equal(new Set(proxy.seen.map((request) => request.key)).size, 1);
        assert.equal(proxy.seen.length, 3);
        assert.equal((await user.records()).records.length, 1);
    }));

test("a turn whose answer is lost is stored once", () =>
    behindProxy(["lose"], async (proxied) => {
        const user = newUser({ address: proxied });
        assert.deepEqual((await user.add("I like tea.")).positions, [1]);
        assert.equal((await user.call("read_log", {})).entries.length, 1);
    }));

test("a temporary failure is retried, up to the number of tries", () =>
    behindProxy([503, 429, "answer", 503, 503], async (proxied, proxy) => {
        const user = newUser({ address: proxied, tries: 3 });
        assert.deepEqual((await user.add("I like tea.")).positions, [1]);
        assert.equal(proxy.seen.length, 3);
        const impatient = newUser({ address: proxied, tries: 2 }, user.name);
        await assert.rejects(impatient.alerts(), (error) => error instanceof ServiceError && error.status === 503);
    }));

test("a request that must not be repeated is sent once", () =>
    behindProxy([503], async (proxied, proxy) => {
        const client = new Client({ address: proxied, key, firstWait: 1 });
        await assert.rejects(client.call("create_key", { body: { name: "a", rights: ["read"] } }), ServiceError);
        assert.equal(proxy.seen.length, 1);
    }));

test("a service that does not answer is a connection error, and a timeout or a signal ends the wait", () =>
    behindProxy(["silence", "silence", "silence"], async (proxied) => {
        const user = newUser({ address: proxied, tries: 2 });
        await assert.rejects(user.alerts({}, { timeout: 5 }), (error) => {
            assert.ok(error instanceof ConnectionError);
            assert.match(error.message, /^The service at \S+ cannot be reached: .*timeout; tried 2 times\.$/);
            return true;
        });
        const stop = new AbortController();
        const waiting = user.alerts({}, { signal: stop.signal });
        stop.abort(new Error("the user left"));
        await assert.rejects(waiting, /the user left/);
        await assert.rejects(newUser({ address: "http://127.0.0.1:1", tries: 1 }).alerts(), ConnectionError);
    }));

test("an answer in an unknown form is an error, and is not asked for again", () =>
    behindProxy(["answer", "garble", "garble"], async (proxied, proxy) => {
        const user = newUser({ address: proxied });
        await user.add("I like tea.");
        await assert.rejects(user.alerts(), /answered in an unknown form/);
        await assert.rejects(user.entries({ after: 0, seconds: 0 }).next(), /answered in an unknown form/);
        assert.equal(proxy.seen.length, 3);
    }));

test("requests that do not fit the document do not compile", () => {
    const client = new Client({ address });
    const wrong = [
        // @ts-expect-error there is no such kind
        () => client.user("ana").recall("hives", { kinds: ["dream"] }),
        // @ts-expect-error the record is missing
        () => client.user("ana").call("get_record", {}),
        // @ts-expect-error the user is missing
        () => client.call("list_alerts", {}),
        // @ts-expect-error there is no such operation
        () => client.call("list_dreams", {}),
        // @ts-expect-error a result has no such field
        async () => (await client.user("ana").alerts()).dreams,
    ];
    assert.equal(wrong.length, 5);
});

test("an address or a name that would lead elsewhere is refused", async () => {
    assert.throws(() => new Client({ address: "ftp://example.com" }), UacError);
    for (const name of ["", ".", ".."]) {
        await assert.rejects(newUser({}, name).alerts(), /must not be empty/);
    }
    const odd = newUser({}, `a?b#c%2F;..\\ ${randomUUID()} ä`);
    await odd.add("I like tea.");
    assert.equal((await odd.call("read_log", {})).entries.length, 1);
});

async function collect<T>(events: AsyncIterable<T>): Promise<T[]> {
    const found: T[] = [];
    for await (const event of events) {
        found.push(event);
    }
    return found;
}

test("changes of alerts are iterated as they happen, until the loop is left", async () => {
    const { user } = await allergicUser();
    const past = await collect(user.events({ after: 0, seconds: 0 }));
    assert.deepEqual(
        past.map((event) => [event.change, event.constraint]),
        [["raised", "drug_allergy"]],
    );
    const news: AlertEventView[] = [];
    const acknowledged = user.acknowledge({ constraint: "drug_allergy", subject: past[0]?.subject ?? "" });
    for await (const event of user.events({ after: past[0]?.position ?? 0 })) {
        news.push(event);
        break;
    }
    await acknowledged;
    assert.deepEqual(
        news.map((event) => event.change),
        ["acknowledged"],
    );
});

test("a stream that breaks off is resumed after the last whole event", () =>
    behindProxy(["cut"], async (proxied, proxy) => {
        const { user } = await allergicUser();
        const whole = await collect(user.entries({ after: 0, seconds: 0 }));
        const resumed = await collect(newUser({ address: proxied }, user.name).entries({ after: 0, seconds: 0 }));
        assert.deepEqual(resumed, whole);
        assert.equal(proxy.seen.length, 2);
    }));

test("a stream of a user without a memory fails, and a signal ends one that waits", async () => {
    await assert.rejects(collect(newUser().events()), NotFound);
    const user = newUser();
    await user.add("I like tea.");
    const stop = new AbortController();
    const events = user.entries({ after: 0, signal: stop.signal });
    assert.equal((await events.next()).done, false);
    const waiting = events.next();
    stop.abort(new Error("enough"));
    await assert.rejects(waiting, /enough/);
});
