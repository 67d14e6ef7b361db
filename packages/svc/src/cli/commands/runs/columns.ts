import type { Run } from '@agent-control-plane/client';
import type { Context } from '../../context.js';
import { actorText } from '../../output/actor-name.js';
import { costText, tokensText } from '../../output/amounts.js';
import { errorText } from '../../output/error-text.js';
import { jsonOrText } from '../../output/json-or-text.js';
import { paintStatus } from '../../output/paint.js';
import { type Field, printRecord } from '../../output/record.js';
import { duration, relativeTime } from '../../output/relative-time.js';
import { isOpenRun, progressText, runDetail } from '../../output/run-state.js';
import type { Column } from '../../output/table.js';
import { labelPairs } from '../agents/columns.js';

export function runColumns(context: Context): Column<Run>[] {
  const { colors } = context.terminal;
  const now = context.now();
  return [
    { title: 'RUN', value: ({ id }) => id, fit: 'id' },
    { title: 'AGENT', value: ({ agent_name }) => agent_name, fit: 'name' },
    { title: 'NAME', value: ({ name }) => name, fit: 'name' },
    {
      title: 'STATUS',
      value: ({ status }) => status,
      paint: (text) => paintStatus(text, colors),
      fit: 'status',
    },
    { title: 'QUEUED', value: ({ queued_at }) => relativeTime(queued_at, now) },
    { title: 'TOOK', value: (run) => timeTaken(run, now) },
    { title: 'SOURCE', value: ({ source }) => source, isWide: true },
    { title: 'CONFIG', value: ({ config_version }) => config_version, isWide: true },
    { title: 'TOKENS', value: ({ usage }) => usage && tokensText(usage), isWide: true },
    { title: 'COST', value: ({ usage }) => usage && costText(usage), isWide: true },
    { title: 'LABELS', value: ({ labels }) => labelPairs(labels), isWide: true },
    {
      title: 'DETAIL',
      value: (run) => (run.error === null ? runDetail(run) : errorText(run.error, context)),
      fit: 'detail',
    },
  ];
}

/** One run, in the form that every command prints. */
export function printRun(context: Context, run: Run): void {
  printRecord(context, run, runFields(run, context));
}

function runFields(run: Run, context: Context): Field[] {
  const now = context.now();
  return [
    ['Run', run.id],
    ['Agent', `${run.agent_name} (${run.agent_id})`],
    ['Name', run.name],
    ['Status', run.status, (text) => paintStatus(text, context.terminal.colors)],
    ['Waits', isOpenRun(run) ? run.waiting_reason : null],
    ['Progress', progressText(run)],
    ['Error', run.error],
    ['Cancel asked', isOpenRun(run) ? relativeTime(run.cancel_requested_at, now) : null],
    ['Attempt', run.attempt === 0 ? null : run.attempt],
    ['Priority', run.priority],
    ['Time limit', run.timeout_seconds === null ? null : `${run.timeout_seconds}s`],
    ['Source', run.source],
    ['Asked by', actorText(run)],
    ['Conversation', run.conversation_id],
    ['Labels', labelPairs(run.labels)],
    ['Schedule', run.schedule_id],
    ['Retry of', run.retry_of],
    ['Part of', run.parent_run_id],
    ['Deployment', run.deployment_id],
    ['Config version', run.config_version],
    ['Queued', relativeTime(run.queued_at, now)],
    ['Started', relativeTime(run.started_at, now)],
    ['Ended', relativeTime(run.ended_at, now)],
    ['Took', timeTaken(run, now)],
    ['Tokens', run.usage && tokensText(run.usage)],
    ['Cost', run.usage && costText(run.usage)],
    ['Trace', run.trace_id],
    ['Input', run.input === null ? null : jsonOrText(run.input)],
    ['Output', run.output === null ? null : jsonOrText(run.output)],
  ];
}

/** How long the last attempt took, or has taken so far. */
function timeTaken({ started_at, ended_at }: Run, now: Date): string | null {
  if (started_at === null) return null;
  const end = ended_at === null ? now.getTime() : Date.parse(ended_at);
  return duration(Math.max(0, (end - Date.parse(started_at)) / 1_000));
}
