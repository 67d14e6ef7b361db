import type { CommandOption } from './command-declaration.js';
import type { Context } from './context.js';
import { CommandFailedError, UsageError } from './failures.js';

export const yesOption: CommandOption = { flags: '-y, --yes', description: 'do not ask' };

/**
 * Returns only after the caller has confirmed.
 *
 * @param question asked at a terminal; built only then, because it may need a request
 * @throws UsageError without a terminal; CommandFailedError if the answer is no
 */
export async function confirm(
  context: Context,
  isConfirmed: boolean,
  question: () => string | Promise<string>,
): Promise<void> {
  if (isConfirmed) return;
  if (!context.terminal.isInteractive)
    throw new UsageError('This needs confirmation, and there is no terminal to ask on: add --yes');
  const prompts = await context.prompts();
  if (!(await prompts.confirm(await question())))
    throw new CommandFailedError('Nothing was done: you answered no');
}
