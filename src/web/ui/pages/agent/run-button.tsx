import { useDisclosure } from '@mantine/hooks';
import { IconPlayerPlay } from '@tabler/icons-react';
import type { AgentDetail } from '@agent-control-plane/client';
import { GuardedButton } from '../../components/guarded-button.js';
import { useRefusals } from '../../components/required-role.js';
import { RunDialog } from './run-dialog.js';

export interface RunButtonProps {
  readonly agent: AgentDetail;
  readonly variant?: 'default';
}

/** Asks the agent for a piece of work. */
export function RunButton({ agent, variant }: RunButtonProps) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <GuardedButton
        {...(variant && { variant })}
        leftSection={<IconPlayerPlay size={16} aria-hidden />}
        refusal={useRefusals()(agent.project_id, 'deploy')}
        onClick={dialog.open}
      >
        Run
      </GuardedButton>
      <RunDialog agent={agent} isOpen={isOpen} onClose={dialog.close} />
    </>
  );
}
