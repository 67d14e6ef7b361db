import type { LogRecord } from '@agent-control-plane/client';
import type { Context } from './context.js';
import { followFromRecent } from './following.js';
import { printJson, printJsonLine } from './output/json.js';
import { logLine, type ShownLog } from './output/log-line.js';
import { type Listed, PAGE, type PageQuery, readPages } from './paging.js';
import { type LogOptions, logQuery, streamQuery } from './telemetry-queries.js';

/** The source of logs: the agent, one of its deployments, or one of its runs. */
export interface LogSource {
  readonly agentId: string;
  /** Restricts the logs to this deployment. */
  readonly deploymentId?: string;
  /** Restricts the logs to this run. */
  readonly runId?: string;
}

/** Prints a log oldest first, and follows it on request. */
export async function showLogs(context: Context, source: LogSource, options: LogOptions): Promise<void> {
  if (!options.isFollowed) return showListed(context, await listLogs(context, source, options));
  await followFromRecent(context, {
    stream: '/agents/{agent_id}/logs/stream',
    path: { agent_id: source.agentId },
    query: { ...streamQuery(options), deployment_id: source.deploymentId },
    recent: async () => (await listLogs(context, source, options)).items.reverse(),
    isBefore,
    show(record) {
      // the stream has no filter for runs
      if (source.runId === undefined || record.run_id === source.runId) showLog(context, record);
    },
  });
}

/** Compares two records by the order of the list. */
export function isBefore(record: LogRecord, other: LogRecord): boolean {
  return record.timestamp === other.timestamp ? record.id < other.id : record.timestamp < other.timestamp;
}

/** Prints a part of a log, oldest first. */
export function showListed(context: Context, { items, hasMore }: Listed<ShownLog>): void {
  const { terminal } = context;
  if (context.output === 'json') return printJson(context, items);
  if (items.length === 0) return terminal.note('Nothing has been logged');
  if (hasMore && terminal.width !== undefined)
    terminal.note(terminal.noteColors.dim('There is more before: --limit, --skip or --all'));
  for (const record of items.reverse()) showLog(context, record);
}

export function showLog(context: Context, record: ShownLog): void {
  if (context.output === 'json') return printJsonLine(context, record);
  context.terminal.print(logLine(record, context.terminal.colors));
}

/** Lists logs, newest first. */
function listLogs(context: Context, source: LogSource, options: LogOptions): Promise<Listed<LogRecord>> {
  const service = context.service();
  const filters = logQuery(options, context);
  const { agentId, deploymentId, runId } = source;
  return readPages(options.page, PAGE.records, (page: PageQuery) => {
    const query = { ...page, ...filters };
    if (runId !== undefined)
      return service.GET('/runs/{run_id}/logs', { params: { path: { run_id: runId }, query } });
    if (deploymentId !== undefined)
      return service.GET('/deployments/{deployment_id}/logs', {
        params: { path: { deployment_id: deploymentId }, query },
      });
    return service.GET('/agents/{agent_id}/logs', { params: { path: { agent_id: agentId }, query } });
  });
}
