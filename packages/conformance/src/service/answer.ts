/** The service's answer to a call, as it is played. */
export interface Answer {
  readonly status: number;
  /** Body of a success. */
  readonly body?: object;
  /** Message of an error. */
  readonly message?: string;
  /** Path of the value that breaks a rule, in a 422. */
  readonly field?: string;
  readonly retryAfterSeconds?: number;
  /** True for the reply to an earlier request with the same key. */
  readonly isReplay?: boolean;
  /** The change that takes effect when the agent has the answer. */
  readonly whenSent?: () => void;
}
