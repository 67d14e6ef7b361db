import type { ApiKey, CreatedApiKey } from '@agent-control-plane/client';
import type { Context } from '../../context.js';
import { printRecord } from '../../output/record.js';
import { relativeTime } from '../../output/relative-time.js';
import type { Column } from '../../output/table.js';

export function keyColumns(context: Context): Column<ApiKey>[] {
  const { colors } = context.terminal;
  const now = context.now();
  return [
    { title: 'ID', value: ({ id }) => id, fit: 'id' },
    { title: 'NAME', value: ({ name }) => name, fit: 'name' },
    {
      title: 'ACTIVE',
      value: ({ is_active }) => (is_active ? 'yes' : 'no'),
      paint: (text, { is_active }) => (is_active ? colors.green(text) : colors.dim(text)),
    },
    { title: 'SCOPES', value: scopesOf, fit: 'detail' },
    { title: 'BEGINS WITH', value: ({ key_prefix }) => key_prefix, fit: 'detail' },
    { title: 'USED', value: (key) => relativeTime(key.last_used_at, now) || 'never' },
    { title: 'EXPIRES', value: (key) => relativeTime(key.expires_at, now) || 'never' },
  ];
}

/** `agent`, or the scopes; before them the role of a project's key, or `everybody`: `deployer: *`. */
function scopesOf({ role, scopes, everybody }: ApiKey): string {
  const named = scopes.join(' ') || 'agent';
  const reach = everybody ? 'everybody' : role;
  return reach === null ? named : `${reach}: ${named}`;
}

function holderOf({ agent_id: agentId, project_id: projectId, role, everybody }: CreatedApiKey): string {
  if (everybody) return 'what you may do, also with what belongs to others';
  if (agentId !== null) return `agent ${agentId}`;
  return role === null ? 'what you may do, but for keys and the profile' : `project ${projectId}`;
}

/** Prints a new key, which can't be read again later. */
export function printNewKey(context: Context, key: CreatedApiKey): void {
  printRecord(context, key, [
    ['Id', key.id],
    ['Name', key.name],
    ['For', holderOf(key)],
    ['Role', key.role],
    ['Scopes', key.scopes.join(', ') || 'those of a runtime'],
    ['Expires', key.expires_at ?? 'never'],
    ['Key', key.key],
  ]);
  if (context.output === 'table') context.terminal.note('Save the key: it is shown only once');
}
