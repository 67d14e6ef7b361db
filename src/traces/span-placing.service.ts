import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { AgentPrincipal } from '../access/principal.js';
import { PresenceService } from '../agents/presence.service.js';
import { DeploymentsOfAgentsService } from '../deployments/deployments-of-agents.service.js';
import { MICROS_OF_A_DOLLAR } from '../runs/usage.response.js';
import { type SeenTrace, TracedRunsService } from '../runs/traced-runs.service.js';
import { mentionedIds, type Stray, straysAmong } from '../telemetry/entry-references.js';
import type { SubmittedSpan } from './span.types.js';
import type { NewSpan } from './spans.repository.js';

export interface PlacedSpans {
  readonly spans: readonly NewSpan[];
  /** Spans that name a deployment or a run of another agent; they are not stored. */
  readonly strays: readonly Stray<SubmittedSpan>[];
}

/** Finds the run of each span of an export: the one that it names, else that of its trace. */
@Injectable()
export class SpanPlacingService {
  constructor(
    private readonly runs: TracedRunsService,
    private readonly deployments: DeploymentsOfAgentsService,
    private readonly presence: PresenceService,
  ) {}

  async place(principal: AgentPrincipal, entries: readonly SubmittedSpan[]): Promise<PlacedSpans> {
    const { agentId } = principal;
    this.presence.markSeen(agentId);
    const named = mentionedIds(entries, 'deployment_id');
    const [deployments, { byId, byTrace }] = await Promise.all([
      named.length > 0 ? this.deployments.ownedAmong(agentId, named) : new Set<string>(),
      this.runs.runsOf(principal, mentionedIds(entries, 'run_id'), tracesWithoutRun(entries)),
    ]);
    const runs = new Map([...byId].map(([id, { deploymentId }]) => [id, deploymentId]));
    const strays = straysAmong(entries, { deployments, runs });
    const foreign = new Set(strays.map(({ entry }) => entry));
    const spans = entries.flatMap((entry): NewSpan[] => {
      if (foreign.has(entry)) return [];
      const run = entry.runId === null ? byTrace.get(entry.traceId) : byId.get(entry.runId);
      return [
        {
          ...entry,
          id: idOf(entry),
          agentId,
          runId: run?.id ?? null,
          deploymentId: entry.deploymentId ?? run?.deploymentId ?? null,
          configVersion: run?.configVersion ?? null,
          endsRun: entry.isRoot && run?.isOpenTrace === true,
          costMicros: entry.costUsd === null ? null : Math.round(entry.costUsd * MICROS_OF_A_DOLLAR),
        },
      ];
    });
    return { spans, strays };
  }
}

/** The traces whose spans name no run, each with what its first spans say of it. */
function tracesWithoutRun(entries: readonly SubmittedSpan[]): SeenTrace[] {
  const traces = new Map<string, SeenTrace>();
  for (const { traceId, runId, isRoot, name, conversationId, timestamp } of entries) {
    if (runId !== null) continue;
    const seen = traces.get(traceId);
    traces.set(traceId, {
      traceId,
      name: isRoot ? name : (seen?.name ?? null),
      conversationId: seen?.conversationId ?? conversationId,
      startedAt: seen && seen.startedAt < timestamp ? seen.startedAt : timestamp,
    });
  }
  return [...traces.values()];
}

/** The id under which a span is stored: the same one whenever it is sent. */
function idOf({ traceId, spanId }: SubmittedSpan): string {
  const hex = hash('sha256', `${traceId}${spanId}`);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
