/** Requests: what an operation takes and returns, by its name in the OpenAPI document, and when it is sent again. */
import { type operations, routes } from "./api.js";
import { ConnectionError, UacError, errorFrom } from "./errors.js";

export interface ClientOptions {
    /** Where the service is, such as `http://127.0.0.1:8311`. */
    address: string;
    key?: string;
    /** Milliseconds for one attempt; 60,000 by default. */
    timeout?: number;
    /** Attempts before an error is final; 4 by default. */
    tries?: number;
    /** Milliseconds before the second attempt; 250 by default, and twice as long each time. */
    firstWait?: number;
    /** Another `fetch`, for a proxy or for tracing. */
    fetch?: typeof fetch;
}

export interface CallOptions {
    /** Ends the request and its retries. */
    signal?: AbortSignal;
    /** Milliseconds for one attempt. */
    timeout?: number;
    /** Your own key for a change: sent again, it is made once. By default each call has a new one. */
    idempotencyKey?: string;
    /** The `tag()` that the log must still have; otherwise the change fails with `Moved`. */
    ifMatch?: string;
}

export type OperationName = Exclude<keyof operations, "stream_events">;

type Json<T> = T extends { content: { "application/json": infer Found } } ? Found : never;
type Parameters<Name extends OperationName> = operations[Name]["parameters"];
type Answer<Responses> = Responses[keyof Responses];

/** The body of an operation. */
export type Body<Name extends OperationName> = Json<NonNullable<operations[Name]["requestBody"]>>;
/** The query of an operation. */
export type Query<Name extends OperationName> = NonNullable<Parameters<Name>["query"]>;
/** The answer of an operation: JSON, text, or the bytes of an archive. */
export type Result<Name extends OperationName> =
    Answer<operations[Name]["responses"]> extends { content: infer Content }
        ? Content extends { "application/json": infer Found }
            ? Found
            : Content extends { "text/plain": string }
              ? string
              : Uint8Array
        : undefined;

type Part<Key extends string, Value> = [Value] extends [never]
    ? unknown
    : Record<never, never> extends Value
      ? { [name in Key]?: Value }
      : { [name in Key]: Value };

/** What an operation takes, in the path, the query and the body. */
export type Arguments<Name extends OperationName> = Part<"path", NonNullable<Parameters<Name>["path"]>> &
    Part<"query", Query<Name>> &
    Part<"body", Body<Name>>;

/** The same without the user in the path. */
export type UserArguments<Name extends OperationName> = Part<
    "path",
    Omit<NonNullable<Parameters<Name>["path"]>, "user">
> &
    Part<"query", Query<Name>> &
    Part<"body", Body<Name>>;

export interface Parts {
    path?: Record<string, unknown>;
    query?: Record<string, unknown>;
    body?: unknown;
}

/** Statuses that are retried. */
export const TEMPORARY = new Set([408, 425, 429, 502, 503, 504]);
const LONGEST_WAIT = 30_000;

export class Transport {
    readonly tries: number;
    readonly #address: string;
    readonly #key: string;
    readonly #timeout: number;
    readonly #firstWait: number;
    readonly #fetch: typeof fetch;

    constructor({ address, key = "", timeout = 60_000, tries = 4, firstWait = 250, fetch: send }: ClientOptions) {
        const url = URL.canParse(address) ? new URL(address) : null;
        if (url === null || !/^https?:$/.test(url.protocol)) {
            throw new UacError(`${address} is not the address of a service. Use one such as http://127.0.0.1:8311.`);
        }
        this.#address = `${url.origin}${url.pathname}`.replace(/\/(v1\/?)?$/, "");
        this.#key = key;
        this.#timeout = timeout;
        this.tries = tries;
        this.#firstWait = firstWait;
        this.#fetch = send ?? ((...given) => fetch(...given)); // browsers want `fetch` called without a `this`
    }

    /** Send a request until `read` has its answer, or the error is final. */
    async send<T>(
        name: keyof operations,
        parts: Parts,
        options: CallOptions,
        read: (response: Response) => Promise<T>,
    ): Promise<T> {
        const retry = routes[name][2];
        const headers: Record<string, string> = {};
        if (retry === "change" && options.idempotencyKey !== "") {
            headers["Idempotency-Key"] = options.idempotencyKey ?? randomKey(); // the same for each attempt
        }
        if (options.ifMatch !== undefined) {
            headers["If-Match"] = options.ifMatch;
        }
        for (let tried = 1; ; tried++) {
            const isLast = retry === "once" || tried >= this.tries;
            const limit = AbortSignal.timeout(options.timeout ?? this.#timeout);
            const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
            let wait = this.backoff(tried);
            try {
                const response = await this.fetch(name, parts, headers, signal);
                if (response.ok) {
                    return await read(response);
                }
                wait = Math.max(wait, retryAfter(response));
                const error = await errorFrom(response);
                if (isLast || !TEMPORARY.has(error.status)) {
                    throw error;
                }
            } catch (error) {
                options.signal?.throwIfAborted();
                if (error instanceof UacError) {
                    throw error;
                }
                if (isLast) {
                    throw this.connectionError(error, tried);
                }
            }
            await pause(wait, options.signal);
        }
    }

    /** One attempt. No redirect is followed, because the key would go along. */
    fetch(
        name: keyof operations,
        { path = {}, query = {}, body }: Parts,
        headers: Record<string, string>,
        signal: AbortSignal,
    ): Promise<Response> {
        const [method, template] = routes[name];
        const url = new URL(this.#address + fillPath(template, path));
        for (const [key, value] of Object.entries(query)) {
            for (const each of Array.isArray(value) ? value : [value]) {
                if (each !== undefined && each !== null) {
                    url.searchParams.append(key, String(each));
                }
            }
        }
        const all = new Headers(headers);
        if (this.#key) {
            all.set("Authorization", `Bearer ${this.#key}`);
        }
        if (body !== undefined) {
            all.set("Content-Type", "application/json");
        }
        const sent = body === undefined ? {} : { body: JSON.stringify(body) };
        return this.#fetch(url, { method, headers: all, signal, redirect: "manual", cache: "no-store", ...sent });
    }

    /** Milliseconds before the next attempt: exponential, with jitter. */
    backoff(tried: number): number {
        return Math.min(this.#firstWait * 2 ** (tried - 1), LONGEST_WAIT) * (0.5 + Math.random() / 2);
    }

    connectionError(cause: unknown, tried: number): ConnectionError {
        const times = tried > 1 ? `; tried ${tried} times` : "";
        return new ConnectionError(`The service at ${this.#address} cannot be reached: ${reason(cause)}${times}.`, {
            cause,
        });
    }
}

export async function readAnswer(response: Response): Promise<unknown> {
    if (response.status === 204) {
        return undefined;
    }
    const kind = response.headers.get("Content-Type") ?? "";
    if (!kind.startsWith("application/json")) {
        return kind.startsWith("text/") ? response.text() : new Uint8Array(await response.arrayBuffer());
    }
    return parseJson(await response.text());
}

export function parseJson(text: string): unknown {
    try {
        return JSON.parse(text) as unknown;
    } catch (cause) {
        throw new UacError("The service answered in an unknown form. Check the address.", { cause });
    }
}

export function randomKey(): string {
    return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Wait, but not longer than the signal allows. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
        const abort = () => {
            clearTimeout(timer);
            reject(signal?.reason);
        };
        const timer = setTimeout(() => {
            signal?.removeEventListener("abort", abort);
            resolve();
        }, milliseconds);
        signal?.addEventListener("abort", abort, { once: true });
    });
}

/** Milliseconds that the service asks to wait. */
export function retryAfter(response: Response): number {
    const text = response.headers.get("Retry-After") ?? "";
    return /^\d{1,6}$/.test(text) ? Math.min(Number(text) * 1000, LONGEST_WAIT) : 0;
}

function fillPath(template: string, values: Record<string, unknown>): string {
    return template.replace(/\{(\w+)\}/g, (_, name: string) => {
        const value = String(values[name] ?? "");
        if (/^\.{0,2}$/.test(value)) {
            // URLs drop such parts, so the request would go to another address.
            throw new UacError(`${name} is '${value}'. It must not be empty, '.' or '..'.`);
        }
        return encodeURIComponent(value);
    });
}

function reason(error: unknown): string {
    const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return inner instanceof Error ? inner.message || inner.name : String(inner);
}
