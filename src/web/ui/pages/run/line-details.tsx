import { Drawer, Stack } from '@mantine/core';
import type { LogRecord } from '@agent-control-plane/client';
import { Fact, FactList } from '../../components/fact-list.js';
import { JsonView } from '../../components/json-view.js';
import { LogText } from '../../components/log-text.js';
import { TimeAgo } from '../../components/time-ago.js';
import { useLast } from '../../components/use-last.js';
import classes from './run-page.module.css';

interface LineDetailsProps {
  /** The selected line; null: the drawer is closed. */
  readonly line: LogRecord | null;
  readonly onClose: () => void;
}

/** One line of the log, in full. */
export function LineDetails({ line, onClose }: LineDetailsProps) {
  const shown = useLast(line);
  return (
    <Drawer opened={line !== null} onClose={onClose} position="right" size="lg" title="Log line">
      {shown && (
        <Stack>
          <p className={classes.error} tabIndex={0} role="group" aria-label="Message">
            <LogText text={shown.message} searched="" />
          </p>
          <FactList label="Facts about the line">
            <Fact term="Level">{shown.level}</Fact>
            <Fact term="Logged">
              <TimeAgo at={shown.timestamp} />
            </Fact>
          </FactList>
          {shown.metadata !== null && <JsonView value={shown.metadata} what="metadata" />}
        </Stack>
      )}
    </Drawer>
  );
}
