import type { Deployment } from '@agent-control-plane/client';
import type { Context } from '../../context.js';
import { errorText } from '../../output/error-text.js';
import { paintStatus } from '../../output/paint.js';
import { type Field, printRecord } from '../../output/record.js';
import { relativeTime } from '../../output/relative-time.js';
import type { Column } from '../../output/table.js';

export function deploymentColumns(context: Context): Column<Deployment>[] {
  const { colors } = context.terminal;
  const now = context.now();
  return [
    { title: 'DEPLOYMENT', value: ({ id }) => id, fit: 'id' },
    { title: 'AGENT', value: ({ agent_name }) => agent_name, fit: 'name' },
    {
      title: 'STATUS',
      value: ({ status }) => status,
      paint: (text) => paintStatus(text, colors),
      fit: 'status',
    },
    { title: 'READY', value: ({ ready_replicas, replicas }) => `${ready_replicas}/${replicas}` },
    { title: 'CONFIG', value: ({ config_version }) => config_version, isWide: true },
    { title: 'RESTARTS', value: ({ restart_count }) => restart_count, isWide: true },
    { title: 'STARTED', value: ({ started_at }) => relativeTime(started_at, now) },
    {
      title: 'ERROR',
      value: ({ error_message: error }) => error && errorText(error, context),
      fit: 'detail',
    },
    { title: 'NODE', value: ({ node_id }) => node_id, fit: 'detail' },
  ];
}

/** One deployment, in the form that every command prints. */
export function printDeployment(context: Context, deployment: Deployment): void {
  printRecord(context, deployment, deploymentFields(deployment, context));
}

function deploymentFields(it: Deployment, context: Context): Field[] {
  const now = context.now();
  return [
    ['Deployment', it.id],
    ['Agent', `${it.agent_name} (${it.agent_id})`],
    ['Status', it.status, (text) => paintStatus(text, context.terminal.colors)],
    ['Source', it.status_source],
    ['Config version', it.config_version],
    ['Replicas', `${it.ready_replicas} of ${it.replicas} ready`],
    ['Generation', `${it.generation}, ${it.observed_generation ?? 'none'} confirmed by the agent`],
    ['Node', it.node_id],
    ['Restarts', it.restart_count === 0 ? null : String(it.restart_count)],
    ['Last exit', it.last_exit && describeExit(it.last_exit)],
    ['Error', it.error_message],
    ['Started', relativeTime(it.started_at, now)],
    ['Ended', relativeTime(it.ended_at, now)],
  ];
}

/** `exit code 3 at 2026-01-31T09:30:00.000Z: no such module`. */
export function describeExit({ code, signal, message, at }: NonNullable<Deployment['last_exit']>): string {
  const cause = signal ? `ended by ${signal}` : code === undefined ? 'ended' : `exit code ${code}`;
  return [`${cause} at ${at}`, message].filter(Boolean).join(': ');
}
