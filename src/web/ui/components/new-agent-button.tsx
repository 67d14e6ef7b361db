import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useChosenProjectId } from '../api/chosen-project.js';
import { GuardedButton } from './guarded-button.js';
import { useRefusals } from './required-role.js';

/** The way to a new agent in the chosen project, if the user's role there allows it. */
export function NewAgentButton() {
  const refusal = useRefusals()(useChosenProjectId(), 'agents');
  const icon = <IconPlus size={16} aria-hidden />;
  if (refusal !== null) {
    return (
      <GuardedButton leftSection={icon} refusal={refusal} onClick={() => undefined}>
        New agent
      </GuardedButton>
    );
  }
  return (
    <Button component={Link} to="/agents/new" leftSection={icon}>
      New agent
    </Button>
  );
}
