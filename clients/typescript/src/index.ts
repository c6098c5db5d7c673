/** A typed client of User as Code, a memory for AI agents. */
export type * from "./api.js";
export { Client, type User } from "./client.js";
export {
    AlreadyErased,
    CodeError,
    ConnectionError,
    KeyReused,
    LimitError,
    Moved,
    NoModel,
    NotAllowed,
    NotFound,
    Refused,
    Rejected,
    ServiceError,
    UacError,
} from "./errors.js";
export type { EventOptions } from "./events.js";
export type { Arguments, Body, CallOptions, ClientOptions, OperationName, Query, Result } from "./transport.js";
