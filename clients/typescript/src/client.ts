/** The client of a service, and one user's memory at it. */
import type { AlertEventView, EntryView, TurnInput } from "./api.js";
import { type EventOptions, followEvents } from "./events.js";
import {
    type Arguments,
    type Body,
    type CallOptions,
    type ClientOptions,
    type OperationName,
    type Parts,
    type Query,
    type Result,
    Transport,
    type UserArguments,
    randomKey,
    readAnswer,
} from "./transport.js";

export class Client {
    readonly #transport: Transport;

    constructor(options: ClientOptions) {
        this.#transport = new Transport(options);
    }

    /** One user's memory. No request is sent yet. */
    user(name: string): User {
        return new User(this.#transport, name);
    }

    /** Any operation by its name in the OpenAPI document: `client.call("list_users", { query: { limit: 10 } })`. */
    async call<Name extends OperationName>(
        name: Name,
        given: Arguments<Name>,
        options: CallOptions = {},
    ): Promise<Result<Name>> {
        return (await this.#transport.send(name, given as Parts, options, readAnswer)) as Result<Name>;
    }
}

type Others<Name extends OperationName, Key extends keyof Body<Name>> = Omit<Body<Name>, Key>;

/** Operations on one user's memory. Results have the fields of the OpenAPI document. */
export class User {
    readonly name: string;
    readonly #transport: Transport;

    constructor(transport: Transport, name: string) {
        this.#transport = transport;
        this.name = name;
    }

    /** Any operation on this user by its name in the OpenAPI document: `ana.call("get_manifest", {})`. */
    async call<Name extends OperationName>(
        name: Name,
        given: UserArguments<Name>,
        options: CallOptions = {},
    ): Promise<Result<Name>> {
        const parts = given as Parts;
        const filled = { ...parts, path: { ...parts.path, user: this.name } };
        return (await this.#transport.send(name, filled, options, readAnswer)) as Result<Name>;
    }

    /** Store what was said: a text, a turn or several, all of them or none. It is durable when this returns. */
    add(turns: string | TurnInput | readonly TurnInput[], options: CallOptions = {}): Promise<Result<"add_observations">> {
        const given = listTurns(turns);
        if (options.ifMatch !== undefined || options.idempotencyKey !== undefined) {
            return this.call("add_observations", { body: { turns: given } }, options);
        }
        // Each turn has a key, so that it is stored once; a key for the request would add an entry to the log.
        const keyed = given.map((turn) => ({ ...turn, key: turn.key || randomKey() }));
        return this.call("add_observations", { body: { turns: keyed } }, { ...options, idempotencyKey: "" });
    }

    /** Store words together with the facts and records that you made of them: valid parts, and the words always. */
    remember(
        turns: string | TurnInput | readonly TurnInput[],
        more: Others<"remember_words", "turns"> = {},
        options: CallOptions = {},
    ): Promise<Result<"remember_words">> {
        return this.call("remember_words", { body: { ...more, turns: listTurns(turns) } }, options);
    }

    /** Search what was said, the facts taken from it and the records: by words, meaning, person and time. */
    recall(
        query: string,
        more: Others<"recall_memories", "query"> = {},
        options: CallOptions = {},
    ): Promise<Result<"recall_memories">> {
        return this.call("recall_memories", { body: { ...more, query } }, options);
    }

    /** What an agent should see for a question: alerts, manifest, records, facts and excerpts, in a token budget. */
    context(
        question: string,
        more: Others<"build_context", "question"> = {},
        options: CallOptions = {},
    ): Promise<Result<"build_context">> {
        return this.call("build_context", { body: { ...more, question } }, options);
    }

    /** Run Python over all records. The result says whether they are complete. */
    compute(
        code: string,
        more: Others<"compute_code", "code"> = {},
        options: CallOptions = {},
    ): Promise<Result<"compute_code">> {
        return this.call("compute_code", { body: { ...more, code } }, options);
    }

    /** A page of records: of one type (`travel.Trip`), domain or collection (`travel.trips`), or all. */
    records(type = "", more: Omit<Query<"list_records">, "type"> = {}, options: CallOptions = {}) {
        return this.call("list_records", { query: { ...more, type } }, options);
    }

    /** All records of a type, domain or collection, page by page. */
    async *allRecords(type = "", more: Omit<Query<"list_records">, "type" | "after"> = {}, options: CallOptions = {}) {
        for (let after: string | null = ""; after !== null; ) {
            const page: Result<"list_records"> = await this.records(type, { ...more, after }, options);
            yield* page.records;
            after = page.next || null;
        }
    }

    /** One record by its id. */
    record(record: string, options: CallOptions = {}): Promise<Result<"get_record">> {
        return this.call("get_record", { path: { record } }, options);
    }

    /** Where the value of a field comes from, down to the sentences. */
    explain(record: string, field: string, options: CallOptions = {}): Promise<Result<"explain_field">> {
        return this.call("explain_field", { path: { record, field } }, options);
    }

    /** Store a typed record that a person or a program states directly; `words` or `cites` are its evidence. */
    put(
        type: string,
        fields: Body<"put_record">["fields"],
        more: Others<"put_record", "type" | "fields"> = {},
        options: CallOptions = {},
    ): Promise<Result<"put_record">> {
        return this.call("put_record", { body: { ...more, type, fields } }, options);
    }

    /** The user's own correction of a field. It overrides all claims until the user says something newer. */
    correct(
        record: string,
        field: string,
        value: unknown,
        more: Others<"correct_field", "record" | "field" | "value"> = {},
        options: CallOptions = {},
    ): Promise<Result<"correct_field">> {
        return this.call("correct_field", { body: { ...more, record, field, value } }, options);
    }

    /** The active alerts, the most severe first. */
    alerts(query: Query<"list_alerts"> = {}, options: CallOptions = {}): Promise<Result<"list_alerts">> {
        return this.call("list_alerts", { query }, options);
    }

    /** Acknowledge an alert. It stays active, quietly, until it clears or gets more severe. */
    acknowledge(body: Body<"acknowledge_alert">, options: CallOptions = {}): Promise<Result<"acknowledge_alert">> {
        return this.call("acknowledge_alert", { body }, options);
    }

    /** The state of the log, for `ifMatch`. */
    tag(options: CallOptions = {}): Promise<string> {
        const parts = { path: { user: this.name }, query: { limit: 1 } };
        return this.#transport.send("read_log", parts, options, async (response) => {
            await response.text();
            return response.headers.get("ETag") ?? "";
        });
    }

    /** Changes of alerts as they happen, each once; a lost connection is resumed. */
    events(options: EventOptions = {}): AsyncGenerator<AlertEventView, void, void> {
        return followEvents<AlertEventView>(this.#transport, this.name, "alerts", options);
    }

    /** All entries of the log as they are appended, like `events`. */
    entries(options: EventOptions = {}): AsyncGenerator<EntryView, void, void> {
        return followEvents<EntryView>(this.#transport, this.name, "log", options);
    }
}

function listTurns(turns: string | TurnInput | readonly TurnInput[]): readonly TurnInput[] {
    if (typeof turns === "string") {
        return [{ text: turns }];
    }
    return "text" in turns ? [turns] : turns;
}
