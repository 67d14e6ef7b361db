import type { UsageEntry } from '../usage/usage.types.js';
import { toolCallOf, usageOf } from './counted-span.js';
import type { NewSpan } from './spans.repository.js';
import type { ToolCall } from './tool-calls.repository.js';

/** Usage and calls of tools in the spans of a group. */
export interface ToldUsage {
  readonly usage: readonly UsageEntry[];
  readonly calls: readonly ToolCall[];
}

/** @param fresh spans that are sent for the first time, by their projects */
export function toldUsageOf(
  fresh: readonly { readonly projectId: string; readonly spans: readonly NewSpan[] }[],
): ToldUsage {
  return {
    usage: fresh.flatMap(({ projectId, spans }) => spans.flatMap((span) => usageOf(projectId, span))),
    calls: fresh.flatMap(({ spans }) => spans.flatMap(toolCallOf)),
  };
}

/** Splits usage and calls by agent, because a row of kept usage is stored with the rows of its agent. */
export function byAgent({ usage, calls }: ToldUsage): ReadonlyMap<string, ToldUsage> {
  const usageOfAgents = Map.groupBy(usage, ({ agentId }) => agentId);
  const callsOfAgents = Map.groupBy(calls, ({ agentId }) => agentId);
  const agentIds = new Set([...usageOfAgents.keys(), ...callsOfAgents.keys()]);
  return new Map(
    [...agentIds].map((agentId) => [
      agentId,
      { usage: usageOfAgents.get(agentId) ?? [], calls: callsOfAgents.get(agentId) ?? [] },
    ]),
  );
}

/** The same as JSON text, for a row that is read back by {@link readToldUsage}. */
export function writeToldUsage({ usage, calls }: ToldUsage): string {
  return JSON.stringify({
    usage,
    calls: calls.map((call) => ({ ...call, fingerprint: call.fingerprint.toString('hex') })),
  });
}

/** @param stored the value that {@link writeToldUsage} wrote, parsed */
export function readToldUsage(stored: unknown): ToldUsage {
  const { usage, calls } = stored as {
    readonly usage: readonly (Omit<UsageEntry, 'at' | 'since'> & { at: string; since: string | null })[];
    readonly calls: readonly (Omit<ToolCall, 'fingerprint'> & { fingerprint: string })[];
  };
  return {
    usage: usage.map((entry) => ({
      ...entry,
      at: new Date(entry.at),
      since: entry.since === null ? null : new Date(entry.since),
    })),
    calls: calls.map((call) => ({ ...call, fingerprint: Buffer.from(call.fingerprint, 'hex') })),
  };
}
