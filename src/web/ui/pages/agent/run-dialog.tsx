import { Button, Group, Modal, NumberInput, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import type { AgentDetail } from '@agent-control-plane/client';
import { fieldErrors } from '../../api/field-errors.js';
import { type NewRun, useAskAgent } from '../../api/runs.js';
import { useSubmissionKey } from '../../api/submission-key.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { isActive } from '../../components/lifecycle.js';
import { LastInputs } from './last-inputs.js';
import classes from './run-dialog.module.css';
import { describeInput, readInput } from './run-input.js';

/** The fields below the input, as they are typed. */
interface Details {
  readonly name: string;
  readonly priority: number | string;
  readonly timeout_seconds: number | string;
}

const FIELDS = ['input', 'name', 'priority', 'timeout_seconds'];
const NO_DETAILS: Details = { name: '', priority: '', timeout_seconds: '' };

export interface RunDialogProps {
  readonly agent: AgentDetail;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function RunDialog({ agent, isOpen, onClose }: RunDialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} size="lg" title={`Run ${agent.name}`}>
      <RunForm agent={agent} onClose={onClose} />
    </Modal>
  );
}

/** Asks for a run, and opens its page. */
function RunForm({ agent, onClose }: Omit<RunDialogProps, 'isOpen'>) {
  const [typed, setTyped] = useState('');
  const [details, setDetails] = useState(NO_DETAILS);
  const ask = useAskAgent(agent.id);
  const navigate = useNavigate();
  const [keyFor, settle] = useSubmissionKey();
  const input = readInput(typed);
  const isFaulty = input.kind === 'fault';
  const { fields, rest } = fieldErrors(ask.error, FIELDS);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isFaulty) return;
    const run: NewRun = { ...('value' in input && { input: input.value }), ...given(details) };
    ask.mutate(
      { run, key: keyFor(run) },
      {
        onSuccess: ({ id }) => {
          settle();
          onClose();
          void navigate(`/runs/${id}`);
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {ask.error && rest.length > 0 && <ErrorNotice title="It was not asked for" error={ask.error} />}
        <div>
          <Textarea
            label="Input"
            description="JSON, or a plain text."
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            error={isFaulty ? describeInput(input) : fields.input}
            errorProps={{ role: 'status' }}
            autosize
            minRows={6}
            maxRows={18}
            spellCheck={false}
            classNames={{ input: classes.input }}
            data-autofocus
          />
          {!isFaulty && (
            <Text size="xs" c="dimmed" mt={6} role="status">
              {describeInput(input)}
            </Text>
          )}
        </div>
        <LastInputs agentId={agent.id} onChoose={setTyped} />
        <More details={details} errors={fields} onChange={setDetails} />
        {!agent.deployments.some(isActive) && (
          <Text size="sm" c="dimmed">
            The agent has no active deployment, so the run waits until it has one.
          </Text>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={isFaulty} loading={ask.isPending}>
            Run
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The fields that were filled in. */
function given({ name, priority, timeout_seconds }: Details): NewRun {
  return {
    ...(name.trim() !== '' && { name: name.trim() }),
    ...(typeof priority === 'number' && { priority }),
    ...(typeof timeout_seconds === 'number' && { timeout_seconds }),
  };
}

interface MoreProps {
  readonly details: Details;
  readonly errors: Record<string, string>;
  readonly onChange: (details: Details) => void;
}

function More({ details, errors, onChange }: MoreProps) {
  const [isOpen, setOpen] = useState(false);
  const change = (part: Partial<Details>) => onChange({ ...details, ...part });
  return (
    <div>
      <Button size="compact-sm" variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Less' : 'More'}
      </Button>
      {isOpen && (
        <Group gap="sm" mt="sm" align="flex-start">
          <TextInput
            label="Name"
            description="It is found by it."
            flex="1 1 12rem"
            value={details.name}
            error={errors.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
          <NumberInput
            label="Priority"
            description="0 to 9, highest first."
            placeholder="5"
            flex="1 1 9rem"
            min={0}
            max={9}
            allowDecimal={false}
            value={details.priority}
            error={errors.priority}
            onChange={(priority) => change({ priority })}
          />
          <NumberInput
            label="Time limit"
            description="In seconds."
            placeholder="none"
            flex="1 1 9rem"
            min={1}
            allowDecimal={false}
            value={details.timeout_seconds}
            error={errors.timeout_seconds}
            onChange={(timeout_seconds) => change({ timeout_seconds })}
          />
        </Group>
      )}
    </div>
  );
}
