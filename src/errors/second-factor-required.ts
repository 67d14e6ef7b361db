import { UnauthenticatedError } from './domain-error.js';

/** The ways in which a caller can answer with a second factor. */
export interface AskedSecondFactor {
  readonly token: string;
  readonly expiresInSeconds: number;
  readonly methods: readonly string[];
  /** For the browser's API of passkeys; null: there is none. */
  readonly passkeyOptions: object | null;
}

/** The password is right, and is not enough. */
export class SecondFactorRequiredError extends UnauthenticatedError {
  constructor(readonly asked: AskedSecondFactor) {
    super(
      'The password is correct. The account has a second factor: send it to POST /auth/login/second-factor',
      'second_factor_required',
    );
  }
}
