import type { Agent } from '@agent-control-plane/client';
import type { Context } from '../../context.js';
import { paintStatus } from '../../output/paint.js';
import type { Field } from '../../output/record.js';
import { relativeTime } from '../../output/relative-time.js';
import type { Column } from '../../output/table.js';

export function agentColumns(context: Context): Column<Agent>[] {
  const { colors } = context.terminal;
  const now = context.now();
  return [
    { title: 'ID', value: ({ id }) => id, fit: 'id' },
    { title: 'NAME', value: ({ name }) => name, fit: 'name' },
    {
      title: 'HEALTH',
      value: ({ health }) => health.state,
      paint: (text) => paintStatus(text, colors),
      fit: 'status',
    },
    {
      title: 'READY',
      value: ({ deployed }) => deployed && `${deployed.ready_replicas}/${deployed.replicas}`,
    },
    { title: 'CONNECTION', value: (agent) => connectionOf(agent, now) },
    { title: 'STATUS', value: ({ status }) => status, isWide: true },
    { title: 'TYPE', value: ({ type }) => type, isWide: true },
    { title: 'CONFIG', value: configOf, isWide: true },
    { title: 'VERSION', value: ({ version }) => version, isWide: true },
    { title: 'RUNTIME', value: runtimeOf, isWide: true },
    { title: 'LABELS', value: ({ labels }) => labelPairs(labels), isWide: true },
    { title: 'HOST', value: ({ hostname }) => hostname, fit: 'detail' },
    { title: 'CREATED', value: (agent) => relativeTime(agent.created_at, now) },
    { title: 'REASON', value: ({ health }) => health.reason, isWide: true },
  ];
}

/** The version that runs, `3`; with a newer one that does not, `3 (4 saved)`. */
function configOf({ config_version, deployed }: Agent): string {
  const running = deployed?.config_version ?? config_version;
  return running === config_version ? String(running) : `${running} (${config_version} saved)`;
}

/** `never connected`, `online`, or the time since which it is offline. */
function connectionOf({ connection, last_heartbeat }: Agent, now: Date): string {
  if (connection === 'never_connected') return 'never connected';
  if (connection === 'online') return 'online';
  return ['offline', relativeTime(last_heartbeat, now)].filter(Boolean).join(', seen ');
}

export function agentFields(agent: Agent, context: Context): Field[] {
  const { terminal } = context;
  const now = context.now();
  return [
    ['Id', agent.id],
    ['Name', agent.name],
    ['Health', agent.health.state, (text) => paintStatus(text, terminal.colors)],
    ['Reason', agent.health.reason],
    ['Paused', agent.paused && pausedSince(agent.paused, now)],
    ['Connection', connectionOf(agent, now)],
    ['Status', agent.status, (text) => paintStatus(text, terminal.colors)],
    ['Project', agent.project_id === agent.user_id ? null : agent.project_id],
    ['Type', agent.type],
    ['Description', agent.description],
    ['Version', agent.version],
    ['Runtime', runtimeOf(agent)],
    ['Host', agent.hostname],
    ['Platform', agent.platform],
    ['Heartbeat', relativeTime(agent.last_heartbeat, now) || 'never'],
    [
      'Reported',
      agent.reported_status && [agent.reported_status, agent.reported_message].filter(Boolean).join(': '),
    ],
    ['Capabilities', agent.capabilities === null ? null : JSON.stringify(agent.capabilities)],
    ['Metadata', agent.metadata === null ? null : JSON.stringify(agent.metadata)],
    ['Labels', labelPairs(agent.labels)],
    ['On loop', agent.on_loop === 'notify' ? null : agent.on_loop],
    ['Capture', agent.capture === 'none' ? null : agent.capture],
    ['Usage from', agent.usage_from === 'auto' ? null : agent.usage_from],
    ['Config', agent.config === '{}' ? null : agent.config],
    ['Config version', agent.config_version],
    ['Created', relativeTime(agent.created_at, now)],
  ];
}

/** `svc run 1.0.0, protocol 1`. */
function runtimeOf({ runtime }: Agent): string | null {
  if (runtime === null) return null;
  const { name, version, protocol, outdated } = runtime;
  const named = [name, version].filter((part) => part !== null).join(' ');
  return [named, protocol !== null && `protocol ${protocol}`, outdated && 'too old for the service']
    .filter((part) => part !== false)
    .join(', ');
}

/** `5m ago by a user, confirmed by its runtime`. */
function pausedSince({ at, by, confirmed_at }: NonNullable<Agent['paused']>, now: Date): string {
  const isConfirmed = confirmed_at !== null;
  return `${relativeTime(at, now)} by a ${by}, ${isConfirmed ? '' : 'not '}confirmed by its runtime${isConfirmed ? '' : ' yet'}`;
}

/** `key=value` for each label. */
export function labelPairs(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');
}
