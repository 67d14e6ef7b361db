import type { Run } from '@agent-control-plane/client';
import { findJsonFault, type JsonFault } from './json-fault.js';

/** Number of earlier inputs that are offered. */
const MOST_OFFERED = 5;

/** The typed input of a run. */
export type TypedInput =
  | { readonly kind: 'none' }
  | { readonly kind: 'json' | 'text'; readonly value: unknown }
  | { readonly kind: 'fault'; readonly fault: JsonFault };

/**
 * Reads a typed input: valid JSON is that value, and other text is itself. What begins like an object, a list or a text in
 * quotes is meant as JSON, so a slip in it is a fault, and not a text.
 */
export function readInput(typed: string): TypedInput {
  if (typed.trim() === '') return { kind: 'none' };
  const fault = findJsonFault(typed);
  if (fault === null) return { kind: 'json', value: JSON.parse(typed) as unknown };
  return /^\s*[[{"]/.test(typed) ? { kind: 'fault', fault } : { kind: 'text', value: typed };
}

/** Writes an input as a person would type it: {@link readInput} of it is the same value. */
export function writeInput(value: unknown): string {
  const isPlain = typeof value === 'string' && readInput(value).kind === 'text';
  return isPlain ? value : JSON.stringify(value, null, 2);
}

/** The sent input, in a line. */
export function describeInput(input: TypedInput): string {
  switch (input.kind) {
    case 'none':
      return 'It runs without input.';
    case 'text':
      return 'Sent as text.';
    case 'json':
      return `Sent as JSON: ${kindOf(input.value)}.`;
    case 'fault':
      return `Line ${input.fault.line}, column ${input.fault.column}: ${input.fault.message}`;
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'object':
      return 'an object';
    case 'string':
      return 'a text';
    case 'number':
      return 'a number';
    default:
      return 'true or false';
  }
}

/** The different inputs of some runs, as they would be typed, in the order of the runs. */
export function inputsOf(runs: readonly Pick<Run, 'input'>[]): readonly string[] {
  const inputs = runs.filter(({ input }) => input !== null).map(({ input }) => writeInput(input));
  return [...new Set(inputs)].slice(0, MOST_OFFERED);
}
