import type { Span } from '@agent-control-plane/client';
import { durationText } from '../../components/duration.js';
import { allTokens } from '../../components/tokens.js';

/** Words for the kinds of spans. */
export const KINDS: Readonly<Record<Span['kind'], string>> = {
  agent: 'Agent',
  llm: 'Model',
  tool: 'Tool',
  retrieval: 'Retrieval',
  embedding: 'Embedding',
  other: 'Other',
};

/** The called model or tool: `Model · gpt-4o`, `Tool · search`; for others the kind alone. */
export function calledText({ kind, model, tool }: Span): string {
  const called = kind === 'tool' ? tool : model;
  return called === null ? KINDS[kind] : `${KINDS[kind]} · ${called}`;
}

/** A duration, below a second in milliseconds: many spans take no more. */
export function spanDuration(milliseconds: number): string {
  if (milliseconds >= 1_000) return durationText(milliseconds);
  return `${milliseconds < 10 ? Number(milliseconds.toFixed(1)) : Math.floor(milliseconds)} ms`;
}

/** All tokens of a call; null: it says nothing of tokens. */
export const tokensOf = ({ usage }: Span): number | null => (usage === null ? null : allTokens(usage));
