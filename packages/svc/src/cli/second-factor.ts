import { ServiceError } from '@agent-control-plane/client';
import { CommandFailedError } from './failures.js';
import type { Prompts } from './prompts.js';
import type { Terminal } from './terminal.js';

/** A proof that can be typed: passkeys need a browser. */
export type TypedProof = { readonly code: string } | { readonly recovery_code: string };

/** The source of a code: the command line, the environment or a question on the terminal. */
export interface CodeSource {
  /** The code of the command line or of `SERVICE_CODE`. */
  readonly given: string | undefined;
  readonly terminal: Terminal;
  readonly prompts: () => Promise<Prompts>;
}

/** An authenticator app's code has six digits; apps show it in two groups. */
export function proofOf(typed: string): TypedProof {
  const code = typed.replaceAll(' ', '');
  return /^\d{6}$/.test(code) ? { code } : { recovery_code: typed.trim() };
}

/**
 * Sends a code: the one that was given, or those that the person types until the service takes one.
 *
 * @param need what the code is for, as a sentence
 * @throws CommandFailedError if there is none and nobody can be asked, or if the service refuses the given one; ServiceError for
 *   any other refusal
 */
export async function proveByCode<Reply>(
  { given, terminal, prompts }: CodeSource,
  need: string,
  send: (proof: TypedProof) => Promise<Reply>,
): Promise<Reply> {
  if (given === undefined && !terminal.isInteractive)
    throw new CommandFailedError(
      `${need}, and nobody can be asked here: set SERVICE_CODE to the code of your authenticator app, or to a recovery code`,
    );
  for (;;) {
    const typed =
      given ?? (await (await prompts()).secret('Code of your authenticator app, or a recovery code'));
    try {
      return await send(proofOf(typed));
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'wrong_second_factor')) throw error;
      // reported as a refusal: the caller has tried to prove it
      if (given !== undefined)
        throw new CommandFailedError(`${error.detail}: each code works once, so wait for the next one`);
      terminal.note(error.detail);
    }
  }
}
