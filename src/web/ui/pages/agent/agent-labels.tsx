import { UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import classes from './agent-page.module.css';

/** Number of labels shown before a person asks for all. */
const MOST_SHOWN = 6;

/** An agent's labels; each leads to the agents that have it. */
export function AgentLabels({ labels }: { readonly labels: Readonly<Record<string, string>> }) {
  const [showsAll, setShowsAll] = useState(false);
  const all = Object.entries(labels);
  const shown = showsAll ? all : all.slice(0, MOST_SHOWN);
  return (
    <>
      {shown.map(([key, value]) => (
        <Link
          key={key}
          to={`/agents?label=${encodeURIComponent(`${key}:${value}`)}`}
          className={classes.label}
          title={`${key}:${value}`}
        >
          {key}:{value}
        </Link>
      ))}
      {all.length > MOST_SHOWN && (
        <UnstyledButton
          className={classes.more}
          aria-expanded={showsAll}
          onClick={() => setShowsAll(!showsAll)}
        >
          {showsAll ? 'Fewer labels' : `${all.length - MOST_SHOWN} more labels`}
        </UnstyledButton>
      )}
    </>
  );
}
