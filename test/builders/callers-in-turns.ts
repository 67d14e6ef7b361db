import type { Operation } from '../harness/openapi.js';

/** Part of a caller of operations. */
export interface Turn {
  /** Whether the caller calls this operation, by its place in the document; absent: each. */
  readonly calls?: (operation: Operation, at: number) => boolean;
}

interface Turns<Caller> {
  /** By how many turns they are behind those of other lists. */
  readonly behind?: number;
  /** The callers of an operation, counted from the one whose turn it is; absent: that one. */
  readonly atOnce?: readonly number[];
  /** Callers out of turn. */
  readonly always?: (operation: Operation, caller: Caller) => boolean;
}

/**
 * Callers of whom one calls each operation, because they differ in what the guard knows before it looks at the operation: it
 * makes a role of every credential. So each operation is called with every role, and a caller's part of the operations
 * shows what its kind of credential makes of its role.
 */
export function inTurns<Caller>(
  callers: readonly Caller[],
  { behind = 0, atOnce = [0], always = () => false }: Turns<Caller>,
): (Caller & Turn)[] {
  return callers.map((caller, of) => ({
    ...caller,
    calls: (operation, at) =>
      atOnce.some((later) => (at + behind + later) % callers.length === of) || always(operation, caller),
  }));
}
