import { Button, Group, Modal, NumberInput, SimpleGrid, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type ProjectLimit, type ProjectLimitKind, useChangeLimits } from '../../api/project-limits.js';
import type { ProjectDetail } from '../../api/projects.js';
import { showDone } from '../../components/announce.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { limitName, limitText, limitUnit } from './limit-words.js';

interface DialogProps {
  readonly project: ProjectDetail;
  readonly limits: readonly ProjectLimit[];
  readonly onClose: () => void;
}

/** The typed values; an empty text: the limit of the installation. */
type Typed = Readonly<Partial<Record<ProjectLimitKind, number | string>>>;

/** Changes limits of a project. Only those that were edited are sent. */
export function LimitsDialog({ project, limits: given, onClose }: DialogProps) {
  const change = useChangeLimits(project.id);
  // Amounts that are read again meanwhile must not move the edited field.
  const [limits] = useState(given);
  const [typed, setTyped] = useState<Typed>({});
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const changes = Object.fromEntries(
      Object.entries(typed).map(([kind, value]) => [kind, value === '' ? null : Number(value)]),
    );
    change.mutate(changes, {
      onSuccess: () => {
        onClose();
        showDone('The limits are changed');
      },
    });
  };
  return (
    <Modal opened onClose={onClose} title={`Limits of ${project.name}`} size="lg">
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">
            An empty field uses the limit of the installation. A lower limit removes no agents, webhooks or
            schedules; data older than its days is deleted permanently.
          </Text>
          {change.error && <ErrorNotice error={change.error} title="The limits were not changed" />}
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {limits.map((limit) => (
              <LimitField
                key={limit.kind}
                limit={limit}
                value={typed[limit.kind] ?? limit.own_limit ?? ''}
                onChange={(value) => setTyped((now) => ({ ...now, [limit.kind]: value }))}
              />
            ))}
          </SimpleGrid>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={change.isPending}>
              Save limits
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

interface FieldProps {
  readonly limit: ProjectLimit;
  readonly value: number | string;
  readonly onChange: (value: number | string) => void;
}

function LimitField({ limit: { kind, limit, own_limit: own, used }, value, onChange }: FieldProps) {
  const unit = limitUnit(kind);
  const typed = unit === 'bytes' && value !== '' ? `${limitText(kind, Number(value))}. ` : '';
  const inUse = used === null ? '' : `In use: ${limitText(kind, used)}.`;
  const ofInstallation = limit === null ? 'no limit' : limit.toLocaleString('en');
  return (
    <NumberInput
      label={unit === 'number' ? limitName(kind) : `${limitName(kind)}, ${unit}`}
      description={`${typed}${inUse}` || undefined}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      placeholder={own === null ? ofInstallation : 'limit of the installation'}
      min={1}
      allowDecimal={false}
      allowNegative={false}
      thousandSeparator=","
      value={value}
      onChange={onChange}
    />
  );
}
