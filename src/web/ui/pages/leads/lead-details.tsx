import { Anchor, Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Lead } from '@agent-control-plane/client';
import { TimeAgo } from '../../components/time-ago.js';
import { useLast } from '../../components/use-last.js';
import { mailLink } from './mail-link.js';
import classes from './leads.module.css';

interface DetailsProps {
  readonly lead: Lead | null;
  readonly onClose: () => void;
}

export function LeadDetails({ lead, onClose }: DetailsProps) {
  const shown = useLast(lead);
  return (
    <Drawer opened={lead !== null} onClose={onClose} position="right" title={shown?.name ?? shown?.email}>
      {shown && (
        <dl className={classes.list}>
          <Detail term="Email">
            <Anchor href={mailLink(shown.email)}>{shown.email}</Anchor>
          </Detail>
          {shown.name !== null && <Detail term="Name">{shown.name}</Detail>}
          {shown.company !== null && <Detail term="Company">{shown.company}</Detail>}
          <Detail term="Message">{shown.message ?? 'none'}</Detail>
          <Detail term="From">{shown.source ?? 'not known'}</Detail>
          <Detail term="Received">
            <TimeAgo at={shown.created_at} />
          </Detail>
        </dl>
      )}
    </Drawer>
  );
}

function Detail({ term, children }: { readonly term: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt className={classes.term}>{term}</dt>
      <dd className={classes.value}>{children}</dd>
    </div>
  );
}
