import { Checkbox, SimpleGrid } from '@mantine/core';
import type { Scope } from '@agent-control-plane/client';

const SCOPES: readonly { readonly value: Scope; readonly label: string; readonly description: string }[] = [
  {
    value: '*',
    label: 'Everything',
    description: 'All scopes, including those that later versions add, except approve',
  },
  { value: 'read', label: 'Read', description: 'Lists, details, logs and metrics of your agents' },
  { value: 'agents', label: 'Agents', description: 'Create, change and delete agents' },
  { value: 'deploy', label: 'Deploy', description: 'Deploy, scale, stop, restart and kill' },
  { value: 'approve', label: 'Approve', description: 'Approve or reject what agents ask' },
  { value: 'reports', label: 'Reports', description: 'Report for your agents from another system' },
  { value: 'webhooks', label: 'Webhooks', description: 'Create, change and test webhooks' },
  { value: 'metrics', label: 'Metrics', description: 'Metrics of the service, for Prometheus' },
];

interface PickerProps {
  readonly value: readonly Scope[];
  readonly onChange: (value: Scope[]) => void;
  readonly error?: React.ReactNode;
}

/** Rights of a user key: everything, or some. */
export function ScopePicker({ value, onChange, error }: PickerProps) {
  const isWhole = value.includes('*');
  return (
    <Checkbox.Group
      label="Scopes"
      value={[...value]}
      onChange={(chosen) => onChange(narrowed(chosen, isWhole))}
      error={error}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing={8} mt={6}>
        {SCOPES.map((scope) => (
          <Checkbox key={scope.value} {...scope} />
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  );
}

/** Everything excludes the others: the last choice wins. */
function narrowed(chosen: Scope[], wasWhole: boolean): Scope[] {
  if (!chosen.includes('*')) return chosen;
  return wasWhole ? chosen.filter((scope) => scope !== '*') : ['*'];
}
