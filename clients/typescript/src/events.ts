/** Server-sent events of a user's log as an async iterator that resumes when the connection is lost. */
import { UacError, errorFrom } from "./errors.js";
import { type Parts, TEMPORARY, type Transport, parseJson, pause, retryAfter } from "./transport.js";

export interface EventOptions {
    /** Start after this position; by default from now on. */
    after?: number;
    /** End after this many seconds; 0: after the existing entries. By default it lasts until you stop. */
    seconds?: number;
    /** Ends the iteration, with the signal's reason as the error. */
    signal?: AbortSignal;
}

const QUIET = 60_000; // milliseconds without a heartbeat after which a stream counts as lost

/** Each event once: a lost stream is resumed after the last whole event. */
export async function* followEvents<T>(
    transport: Transport,
    user: string,
    of: "alerts" | "log",
    { after, seconds, signal }: EventOptions,
): AsyncGenerator<T, void, void> {
    const parts: Parts = { path: { user }, query: { of, after, seconds } };
    let last = "";
    let lost = 0;
    while (true) {
        const silence = new AbortController();
        let timer = setTimeout(() => silence.abort(), QUIET);
        const stops = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
        let wait = 0;
        let cause: unknown = new Error("the service ended the stream");
        try {
            const headers = { Accept: "text/event-stream", ...(last && { "Last-Event-ID": last }) };
            const response = await transport.fetch("stream_events", parts, headers, stops);
            if (!response.ok) {
                wait = retryAfter(response);
                const error = await errorFrom(response);
                if (!TEMPORARY.has(error.status) || lost + 1 >= transport.tries) {
                    throw error;
                }
                cause = error;
            } else {
                for await (const event of readEvents(response)) {
                    clearTimeout(timer);
                    timer = setTimeout(() => silence.abort(), QUIET);
                    lost = 0;
                    if (event.data) {
                        yield parseJson(event.data) as T;
                    }
                    last = event.id || last;
                }
                if (seconds !== undefined) {
                    return;
                }
            }
        } catch (error) {
            signal?.throwIfAborted();
            if (error instanceof UacError) {
                throw error;
            }
            cause = error;
        } finally {
            clearTimeout(timer);
            silence.abort(); // closes the connection, also when the caller leaves its loop
        }
        lost++;
        if (lost >= transport.tries) {
            throw transport.connectionError(cause, lost);
        }
        await pause(Math.max(wait, transport.backoff(lost)), signal);
    }
}

interface ServerEvent {
    id: string;
    data: string;
}

/** The whole events of a stream; heartbeats have no data. */
async function* readEvents(response: Response): AsyncGenerator<ServerEvent, void, void> {
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    let rest = "";
    for (let chunk = await reader?.read(); chunk?.done === false; chunk = await reader?.read()) {
        const blocks = (rest + decoder.decode(chunk.value, { stream: true })).split(/\r?\n\r?\n/);
        rest = blocks.pop() ?? "";
        yield* blocks.map(parseEvent);
    }
}

function parseEvent(block: string): ServerEvent {
    const lines = block.split(/\r?\n/);
    const values = (field: string) =>
        lines.filter((line) => line.startsWith(`${field}:`)).map((line) => line.slice(field.length + 1).replace(/^ /, ""));
    return { id: values("id").at(-1) ?? "", data: values("data").join("\n") };
}
