/** A proxy in front of the service whose connection breaks when the test says so. */
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

/** What happens to a request: its answer is passed on, lost, cut within its last event, garbled, never made, or a status. */
export type Fate = "answer" | "lose" | "cut" | "garble" | "silence" | number;

export class UnreliableProxy {
    readonly seen: { path: string; key: string; lastEvent: string }[] = [];
    readonly #server: Server;
    readonly #target: string;
    readonly #fates: Fate[];

    constructor(target: string, fates: Fate[]) {
        this.#target = target;
        this.#fates = fates;
        this.#server = createServer((request, response) => void this.#forward(request, response));
    }

    async listen(): Promise<string> {
        this.#server.listen(0, "127.0.0.1");
        await once(this.#server, "listening");
        return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    }

    async [Symbol.asyncDispose](): Promise<void> {
        this.#server.closeAllConnections();
        this.#server.close();
        await once(this.#server, "close");
    }

    async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
        const header = (name: string) => String(request.headers[name] ?? "");
        const path = request.url ?? "/";
        this.seen.push({ path, key: header("idempotency-key"), lastEvent: header("last-event-id") });
        const fate = this.#fates.shift() ?? "answer";
        if (typeof fate === "number") {
            response.writeHead(fate, { "Retry-After": "0" }).end("<p>Try later</p>");
            return;
        }
        if (fate === "silence") {
            return;
        }
        const parts: Buffer[] = [];
        for await (const part of request) {
            parts.push(part as Buffer);
        }
        const names = ["authorization", "content-type", "idempotency-key", "last-event-id"];
        const answer = await fetch(this.#target + path, {
            method: request.method ?? "GET",
            headers: Object.fromEntries(names.filter(header).map((name) => [name, header(name)])),
            ...(parts.length > 0 && { body: Buffer.concat(parts) }),
        });
        const body = Buffer.from(await answer.arrayBuffer());
        if (fate === "lose") {
            response.destroy(); // the service has done its work, and nobody hears of it
            return;
        }
        response.writeHead(answer.status, { "Content-Type": answer.headers.get("Content-Type") ?? "" });
        if (fate === "cut") {
            response.write(body.subarray(0, body.lastIndexOf("data:") + 20), () => response.destroy());
        } else {
            response.end(fate === "garble" ? body.toString().replaceAll("{", "?") : body);
        }
    }
}
