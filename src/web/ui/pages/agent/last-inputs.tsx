import { Text, UnstyledButton } from '@mantine/core';
import { useId } from 'react';
import { useRecentRuns } from '../../api/runs.js';
import classes from './run-dialog.module.css';
import { inputsOf } from '../../components/run-input.js';

/** Longest text of a button; the rest of an input would not be seen. */
const SHOWN = 200;

export interface LastInputsProps {
  readonly agentId: string;
  readonly onChoose: (input: string) => void;
}

/** The inputs of the agent's last runs, to be taken again; nothing if there are none. */
export function LastInputs({ agentId, onChoose }: LastInputsProps) {
  const id = useId();
  const { data = [] } = useRecentRuns(agentId);
  const inputs = inputsOf(data);
  if (inputs.length === 0) return null;
  return (
    <div>
      <Text id={id} size="sm" fw={500}>
        Last inputs
      </Text>
      <ul className={classes.inputs} aria-labelledby={id}>
        {inputs.map((input) => (
          <li key={input}>
            <UnstyledButton className={classes.last} onClick={() => onChoose(input)}>
              {input.replaceAll(/\s+/g, ' ').slice(0, SHOWN)}
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </div>
  );
}
