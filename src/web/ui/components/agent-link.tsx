import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { shortId } from './short-id.js';

export interface AgentLinkProps {
  readonly id: string;
  /** Null: it is removed, or another project has it now. */
  readonly name: string | null;
}

/** The name of an agent, which leads to its page. */
export function AgentLink({ id, name }: AgentLinkProps) {
  return (
    <Anchor component={Link} to={`/agents/${id}`} inherit>
      {name ?? `agent ${shortId(id)}`}
    </Anchor>
  );
}
