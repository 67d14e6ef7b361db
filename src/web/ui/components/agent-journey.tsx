import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconRobotOff } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import type { AgentDetail } from '@agent-control-plane/client';
import { useCreateAgentKey, useDeployAgent } from '../api/agent-acts.js';
import { useAgent } from '../api/agents.js';
import { ApiError } from '../api/request.js';
import { useSubmissionKey } from '../api/submission-key.js';
import { AgentForm } from './agent-form.js';
import classes from './agent-journey.module.css';
import { WaitingNotice } from './command-list.js';
import { EmptyState } from './empty-state.js';
import { ErrorNotice } from './error-notice.js';
import { GuardedButton } from './guarded-button.js';
import { Pending } from './pending.js';
import { useRefusals } from './required-role.js';
import { RunCommand } from './run-command.js';
import { SecretOnce } from './secret-once.js';
import { StatusBadge } from './status-badge.js';
import { Step, Steps } from './steps.js';
import { TimeAgo } from './time-ago.js';

/** Refresh interval while the page waits for the agent's first call; milliseconds. */
const WAITING_MS = 1_500;

/**
 * Guides a user from no agent to a running one, step by step. The agent is in the page's address, so that a reload
 * continues. Only the key is lost by a reload; the user can create another one.
 */
export function AgentJourney() {
  const [search, setSearch] = useSearchParams();
  const id = search.get('agent') ?? '';
  const [key, setKey] = useState<string | null>(null);
  const agent = useAgent(id, WAITING_MS);
  if (id === '') {
    return (
      <Steps>
        <Step number={1} title="Describe it" state="now">
          <AgentForm
            onCreated={(created) => {
              setKey(created.api_key);
              setSearch({ agent: created.id });
            }}
          />
        </Step>
        <Step number={2} title="Start it on the machine where it should run" state="later" />
        <Step number={3} title="Deploy it" state="later" />
        <Step number={4} title="Ready" state="later" />
      </Steps>
    );
  }
  if (agent.error instanceof ApiError && agent.error.isMissing) return <Missing />;
  if (agent.error && !agent.data)
    return <ErrorNotice error={agent.error} onRetry={() => void agent.refetch()} />;
  if (!agent.data) return <Pending />;
  return <RemainingSteps agent={agent.data} agentKey={key} onKey={setKey} />;
}

function Missing() {
  return (
    <EmptyState
      icon={IconRobotOff}
      title="There is no such agent"
      action={
        <Button component={Link} to="/agents/new" variant="default">
          Create a new agent
        </Button>
      }
    >
      It may have been deleted, or belong to somebody else.
    </EmptyState>
  );
}

interface RemainingStepsProps {
  readonly agent: AgentDetail;
  readonly agentKey: string | null;
  readonly onKey: (key: string) => void;
}

function RemainingSteps({ agent, agentKey, onKey }: RemainingStepsProps) {
  const isHeardOf = wasHeardOf(agent);
  const [deployment] = agent.deployments;
  const isReady = deployment?.status === 'ready';
  return (
    <Steps>
      <Step number={1} title="Describe it" state="done">
        <Text size="sm">
          <strong>{agent.name}</strong> is recorded.
        </Text>
      </Step>
      <Step number={2} title="Start it on the machine where it should run" state={isHeardOf ? 'done' : 'now'}>
        <Stack gap="sm">
          {(!isHeardOf || agentKey !== null) && <KeyAndCommand {...{ agent, agentKey, onKey }} />}
          <Heard agent={agent} />
        </Stack>
      </Step>
      <Step
        number={3}
        title="Deploy it"
        state={deployment !== undefined ? 'done' : isHeardOf ? 'now' : 'later'}
      >
        <DeployStep agent={agent} isHeardOf={isHeardOf} />
      </Step>
      <Step number={4} title="Ready" state={isReady ? 'done' : deployment && isHeardOf ? 'now' : 'later'}>
        <ReadyStep agent={agent} />
      </Step>
    </Steps>
  );
}

function KeyAndCommand({ agent, agentKey, onKey }: RemainingStepsProps) {
  const create = useCreateAgentKey(agent.id);
  const [keyFor, settle] = useSubmissionKey();
  const refusal = useRefusals()(agent.project_id, 'keys');
  if (agentKey !== null) {
    return (
      <>
        <SecretOnce secret={agentKey} what="agent key">
          The command below contains it.
        </SecretOnce>
        <Text size="sm">On the machine where the agent should run, this one or any other:</Text>
        <RunCommand agentKey={agentKey} />
      </>
    );
  }
  const name = `${agent.name} runtime`;
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">Its key was shown only once. You can create another key.</Text>
      {create.error && <ErrorNotice error={create.error} />}
      <GuardedButton
        variant="default"
        refusal={refusal}
        loading={create.isPending}
        onClick={() =>
          create.mutate(
            { name, key: keyFor(name) },
            {
              onSuccess: (made) => {
                settle();
                onKey(made.key);
              },
            },
          )
        }
      >
        Create another key
      </GuardedButton>
    </Stack>
  );
}

/** Returns true if the agent has called: it registers before its first heartbeat. */
const wasHeardOf = ({ last_heartbeat, hostname, version, platform }: AgentDetail): boolean =>
  [last_heartbeat, hostname, version, platform].some((it) => it !== null);

function Heard({ agent }: { readonly agent: AgentDetail }) {
  const where = [agent.hostname, agent.platform].filter(Boolean).join(', ');
  const isHeardOf = wasHeardOf(agent);
  return (
    <p className={classes.heard} data-is-heard={isHeardOf}>
      <span>
        <span role="status">
          {isHeardOf
            ? `It has registered${where === '' ? '' : ` from ${where}`}.`
            : 'Waiting for the agent to connect. This page then continues on its own.'}
        </span>
        {agent.last_heartbeat !== null && (
          <>
            {' '}
            Last seen <TimeAgo at={agent.last_heartbeat} />.
          </>
        )}
      </span>
    </p>
  );
}

function DeployStep({ agent, isHeardOf }: { readonly agent: AgentDetail; readonly isHeardOf: boolean }) {
  const deploy = useDeployAgent(agent.id);
  const [keyFor, settle] = useSubmissionKey();
  const refusal = useRefusals()(agent.project_id, 'deploy');
  if (agent.deployments.length > 0) return <Text size="sm">The deployment is queued.</Text>;
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm" c="dimmed">
        A deployment asks the agent to start its command.{' '}
        {!isHeardOf && 'You can deploy now; the deployment waits until the agent connects.'}
      </Text>
      {deploy.error && <ErrorNotice title="The agent was not deployed" error={deploy.error} />}
      <GuardedButton
        variant={isHeardOf ? 'filled' : 'default'}
        refusal={refusal}
        loading={deploy.isPending}
        onClick={() =>
          deploy.mutate({ deploy: { replaces: 'none' }, key: keyFor(agent.id) }, { onSuccess: settle })
        }
      >
        Deploy
      </GuardedButton>
    </Stack>
  );
}

function ReadyStep({ agent }: { readonly agent: AgentDetail }) {
  const [deployment] = agent.deployments;
  if (!deployment) return null;
  return (
    <Stack gap="sm" align="flex-start">
      <Group gap="sm" role="status">
        <StatusBadge status={deployment.status} />
        {deployment.status === 'ready' && <Text size="sm">It is running. That’s it.</Text>}
        {deployment.error_message !== null && <Text size="sm">{deployment.error_message}</Text>}
      </Group>
      <WaitingNotice deploymentId={deployment.id} />
      <Group gap="md">
        <Button component={Link} to={`/agents/${agent.id}?tab=logs`} variant="default">
          View its log
        </Button>
        <Anchor component={Link} to={`/deployments/${deployment.id}`} size="sm" underline="always">
          Its deployment: scale, stop, history
        </Anchor>
      </Group>
    </Stack>
  );
}
