/**
 * Errors, named as in the library and in the `title` of problem details (RFC 9457).
 *
 *     UacError
 *     ├── ConnectionError    nobody answered
 *     └── ServiceError       the service answered with a problem
 *         ├── NotAllowed     401, 403: the key is missing, not valid, or lacks a right
 *         ├── NotFound       404: the user or item does not exist
 *         ├── Refused        422: the request breaks a rule
 *         │   └── Rejected   422: `reasons` lists what to correct
 *         ├── CodeError      422: the code failed
 *         ├── LimitError     422: the code took too much time or memory
 *         ├── Moved          412: somebody has written since `ifMatch`
 *         ├── KeyReused      409: the idempotency key belongs to another request
 *         ├── AlreadyErased  410: what the first request wrote has been erased
 *         └── NoModel        501: the service has no model
 */
import type { Problem } from "./api.js";

export class UacError extends Error {
    constructor(message: string, options?: ErrorOptions) {
        super(message, options);
        this.name = new.target.name;
    }
}

/** Nobody answered, or the answer broke off; `cause` is the error of the last attempt. */
export class ConnectionError extends UacError {}

/** The service answered with a problem. */
export class ServiceError extends UacError {
    readonly problem: Problem;

    constructor(problem: Problem) {
        super(problem.detail);
        this.problem = problem;
    }

    get status(): number {
        return this.problem.status;
    }

    /** One line for each part to correct. */
    get reasons(): readonly string[] {
        return this.problem.reasons ?? [];
    }
}

export class NotAllowed extends ServiceError {}
export class NotFound extends ServiceError {}
export class Refused extends ServiceError {}
export class Rejected extends Refused {}
export class CodeError extends ServiceError {}
export class LimitError extends ServiceError {}
export class Moved extends ServiceError {}
export class KeyReused extends ServiceError {}
export class AlreadyErased extends ServiceError {}
export class NoModel extends ServiceError {}

const BY_TITLE: Record<string, typeof ServiceError> = {
    AlreadyErased,
    CodeError,
    KeyReused,
    LimitError,
    Malformed: Refused,
    NoModel,
    Refused,
    Rejected,
};
const BY_STATUS: Record<number, typeof ServiceError> = { 401: NotAllowed, 403: NotAllowed, 404: NotFound, 412: Moved };

/** The error that an answer other than 2xx describes. */
export async function errorFrom(response: Response): Promise<ServiceError> {
    const { status } = response;
    let found: Partial<Problem> | null = null;
    try {
        found = JSON.parse(await response.text()) as Partial<Problem> | null;
    } catch {
        // A proxy in between answers in its own words.
    }
    const problem: Problem = {
        title: found?.title ?? (response.statusText || "Failed"),
        status,
        detail: found?.detail ?? `The service answered ${status}.`,
        reasons: found?.reasons ?? [],
    };
    const kind = Object.hasOwn(BY_TITLE, problem.title) ? BY_TITLE[problem.title] : BY_STATUS[status];
    return new (kind ?? ServiceError)(problem);
}
