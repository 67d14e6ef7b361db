import { ActionIcon, Button, Group, NumberInput, Text } from '@mantine/core';
import { IconMinus, IconPlus } from '@tabler/icons-react';
import { type FormEvent, useId, useState } from 'react';
import type { Deployment } from '@agent-control-plane/client';
import { useScaleDeployment } from '../../api/deployments.js';
import { showDone } from '../../components/announce.js';
import { useRefusals } from '../../components/required-role.js';
import { refusalOf } from './allowed-actions.js';

/** The requested number of replicas, and a control to change it if the lifecycle allows that. */
export function ReplicasControl({ deployment }: { readonly deployment: Deployment }) {
  const [typed, setTyped] = useState<number | string | null>(null);
  const problemId = useId();
  const scale = useScaleDeployment(deployment.id);
  const refusal = useRefusals()(deployment.project_id, 'deploy') ?? refusalOf('scale', deployment.status);
  if (refusal !== null) {
    return (
      <Text size="sm" c="dimmed">
        {refusal}
      </Text>
    );
  }
  const wanted = typed ?? deployment.replicas;
  const isChange = typeof wanted === 'number' && wanted !== deployment.replicas;
  const change = (value: number | string) => {
    scale.reset();
    setTyped(value);
  };
  const step = (by: number) => change(Math.max(0, (typeof wanted === 'number' ? wanted : 0) + by));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isChange) return;
    scale.mutate(wanted, {
      onSuccess: () => {
        setTyped(null);
        showDone(wanted === 1 ? 'One replica is wanted now' : `${wanted} replicas are wanted now`);
      },
    });
  };
  return (
    <form onSubmit={submit} aria-label="Scale">
      <Group gap={6} align="flex-start" wrap="nowrap">
        <ActionIcon variant="default" size={36} aria-label="One replica fewer" onClick={() => step(-1)}>
          <IconMinus size={16} aria-hidden />
        </ActionIcon>
        <NumberInput
          aria-label="Wanted replicas"
          w={84}
          min={0}
          allowDecimal={false}
          hideControls
          value={wanted}
          onChange={change}
          error={scale.error !== null}
          aria-describedby={scale.error ? problemId : undefined}
        />
        <ActionIcon variant="default" size={36} aria-label="One replica more" onClick={() => step(1)}>
          <IconPlus size={16} aria-hidden />
        </ActionIcon>
        <Button type="submit" disabled={!isChange} loading={scale.isPending}>
          Scale
        </Button>
      </Group>
      {scale.error && (
        <Text id={problemId} role="alert" size="xs" c="var(--bad)" mt={4} maw={290}>
          {scale.error.message}
        </Text>
      )}
    </form>
  );
}
