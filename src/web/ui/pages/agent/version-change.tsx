import { Button, Group, Stack, Text } from '@mantine/core';
import { IconFileDiff } from '@tabler/icons-react';
import { useState } from 'react';
import type { AgentDetail } from '@agent-control-plane/client';
import { ErrorNotice } from '../../components/error-notice.js';
import { GuardedButton } from '../../components/guarded-button.js';
import { Notice } from '../../components/notice.js';
import { useRefusals } from '../../components/required-role.js';
import { ApiError } from '../../api/request.js';
import { useAgentConfig } from '../../api/agent-configs.js';
import { DeployDialog } from './deploy-dialog.js';
import { isNewestLeftOut, runningVersion, versionBefore } from './deployed-version.js';
import { VersionDifference } from './version-difference.js';
import classes from './agent-overview.module.css';

/** A note that the newest config is not deployed, with its changes; nothing after its deployment. */
export function UndeployedNotice({ agent }: { readonly agent: AgentDetail }) {
  const [showsDiff, setShowsDiff] = useState(false);
  const [deployed, setDeployed] = useState<number | null>(null);
  const refusal = useRefusals()(agent.project_id, 'deploy');
  const running = runningVersion(agent);
  const newest = agent.config_version;
  return (
    <>
      {running !== null && isNewestLeftOut(agent) && (
        <Notice
          tone="busy"
          icon={IconFileDiff}
          title={`Version ${newest} is saved, but not deployed: version ${running} runs`}
          role="status"
        >
          <Stack gap="xs" mt={4}>
            <Group gap="xs">
              <GuardedButton size="compact-sm" refusal={refusal} onClick={() => setDeployed(newest)}>
                {`Deploy version ${newest}`}
              </GuardedButton>
              <Button
                size="compact-sm"
                variant="default"
                aria-expanded={showsDiff}
                onClick={() => setShowsDiff(!showsDiff)}
              >
                {showsDiff ? 'Hide changes' : 'Show changes'}
              </Button>
            </Group>
            {showsDiff && <VersionDifference agentId={agent.id} before={running} after={newest} />}
          </Stack>
        </Notice>
      )}
      {/* stays until the reply has come: the notice is gone before, when an event reports the deployment */}
      <DeployDialog agent={agent} version={deployed} onClose={() => setDeployed(null)} />
    </>
  );
}

/** The changes of the running config, and the way back to the previous one; nothing where there is none. */
export function VersionChange({ agent }: { readonly agent: AgentDetail }) {
  const running = runningVersion(agent);
  const before = versionBefore(agent);
  return running !== null && before !== null && <Change agent={agent} running={running} before={before} />;
}

interface ChangeProps {
  readonly agent: AgentDetail;
  readonly running: number;
  readonly before: number;
}

function Change({ agent, running, before }: ChangeProps) {
  const [deployed, setDeployed] = useState<number | null>(null);
  const refusal = useRefusals()(agent.project_id, 'deploy');
  const { error } = useAgentConfig(agent.id, before, false);
  // the service keeps the newest versions, and those that something names
  if (error instanceof ApiError && error.isMissing) return null;
  return (
    <section aria-labelledby="version-change">
      <Group justify="space-between" gap="xs">
        <h2 id="version-change" className={classes.title}>
          Version {running} runs
        </h2>
        <GuardedButton
          size="compact-sm"
          variant="default"
          refusal={refusal}
          onClick={() => setDeployed(before)}
        >
          {`Roll back to version ${before}`}
        </GuardedButton>
      </Group>
      <Text size="sm" c="dimmed" mb={6}>
        Changes since version {before}
      </Text>
      {error ? (
        <ErrorNotice error={error} />
      ) : (
        <VersionDifference key={`${before} ${running}`} agentId={agent.id} before={before} after={running} />
      )}
      <DeployDialog agent={agent} version={deployed} onClose={() => setDeployed(null)} />
    </section>
  );
}
