import { Button } from '@mantine/core';
import { IconRobot } from '@tabler/icons-react';
import { Link } from 'react-router';
import { PageHeader } from '../../components/page-header.js';
import { RunList } from '../../components/run-list.js';

export function RunsPage() {
  return (
    <>
      <PageHeader title="Runs">
        <span>What your agents were asked to do, and the results.</span>
      </PageHeader>
      <RunList
        firstStep={
          <Button component={Link} to="/agents" leftSection={<IconRobot size={16} aria-hidden />}>
            Choose an agent to run
          </Button>
        }
      />
    </>
  );
}
