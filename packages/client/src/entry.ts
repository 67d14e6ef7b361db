/** The exports of the package: a client of the service, typed from its OpenAPI document. */
export { type Credentials, SessionCredentials, type Tokens, type TokenStore } from './credentials.js';
export type { components, operations, paths } from './generated/schema.js';
export {
  follow,
  type FollowOptions,
  type LiveEvent,
  type LiveStreams,
  StreamEndedError,
} from './live-stream.js';
export type * from './models.js';
export {
  createServiceClient,
  type ServiceClient,
  type ServiceClientOptions,
  unwrap,
} from './service-client.js';
export {
  type ErrorBody,
  type FieldError,
  MalformedCredentialError,
  ServiceError,
  UnreachableError,
} from './service-errors.js';
