import { Anchor, Text } from '@mantine/core';
import { IconHelpCircle } from '@tabler/icons-react';
import { Link } from 'react-router';
import { type ApprovalFilter, useApprovals } from '../api/approvals.js';
import { ShownText } from './exact-text.js';
import { Notice } from './notice.js';

/** Number of questions that are named; the inbox has all. */
const NAMED = 3;
/** The inbox is the page to wait at; milliseconds. */
const REFRESH_MS = 10_000;

export interface OpenQuestionsProps {
  /** The agent or the run that asks. */
  readonly of: Pick<ApprovalFilter, 'agent_id' | 'run_id'>;
  readonly isWanted?: boolean;
  /** The inbox with all of them. */
  readonly inbox: string;
}

/** The questions that wait for a person, each with a link; nothing while there is none. */
export function OpenQuestions({ of, inbox, isWanted = true }: OpenQuestionsProps) {
  const options = { enabled: isWanted, refetchInterval: REFRESH_MS };
  const { rows, hasMore } = useApprovals({ ...of, state: 'pending' }, options);
  if (!isWanted || rows.length === 0) return null;
  const others = rows.length > NAMED || hasMore;
  return (
    <Notice role="status" tone="warn" icon={IconHelpCircle} title="Waiting for your decision">
      {rows.slice(0, NAMED).map(({ id, title }) => (
        <Text key={id} size="sm">
          <Anchor component={Link} to={`/approvals/${id}`} inherit>
            <ShownText text={title} />
          </Anchor>
        </Text>
      ))}
      {others && (
        <Text size="sm">
          <Anchor component={Link} to={inbox} inherit>
            All its approvals
          </Anchor>
        </Text>
      )}
    </Notice>
  );
}
