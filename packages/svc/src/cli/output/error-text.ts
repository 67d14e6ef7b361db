import { errorLineOf } from '@agent-control-plane/client/internal/error-line';
import type { Context } from '../context.js';

/**
 * The error in a row of a table. In the width of a terminal, the head of a stack trace takes the place of its exception. A
 * pipe and a wide table get the whole error.
 */
export function errorText(error: string, { terminal, isWide }: Pick<Context, 'terminal' | 'isWide'>): string {
  return terminal.width === undefined || isWide ? error : (errorLineOf(error) ?? error);
}
