import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import type { AgentDetail } from '@agent-control-plane/client';
import { fieldErrors } from '../../api/field-errors.js';
import { type NewRun, useAskAgent } from '../../api/runs.js';
import { useSubmissionKey } from '../../api/submission-key.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { isActive } from '../../components/lifecycle.js';
import { MoreFields } from '../../components/more-fields.js';
import { RunInputField } from '../../components/run-input-field.js';
import { readInput } from '../../components/run-input.js';
import { RunRuleFields } from '../../components/run-rule-fields.js';
import { givenRules, NO_RULES, RULE_FIELDS } from '../../components/run-rules.js';
import { isoOf, MomentField } from '../../components/moment-field.js';
import { LastInputs } from './last-inputs.js';

const FIELDS = ['input', 'name', 'start_after', ...RULE_FIELDS];

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
  const [name, setName] = useState('');
  const [startAfter, setStartAfter] = useState<string | null>(null);
  const [rules, setRules] = useState(NO_RULES);
  const ask = useAskAgent(agent.id);
  const navigate = useNavigate();
  const [keyFor, settle] = useSubmissionKey();
  const input = readInput(typed);
  const isFaulty = input.kind === 'fault';
  const { fields, rest } = fieldErrors(ask.error, FIELDS);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isFaulty) return;
    const run: NewRun = {
      ...('value' in input && { input: input.value }),
      ...(name.trim() !== '' && { name: name.trim() }),
      ...(startAfter !== null && { start_after: isoOf(startAfter) }),
      ...givenRules(rules),
    };
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
        {ask.error && rest.length > 0 && <ErrorNotice title="The run was not started" error={ask.error} />}
        <RunInputField typed={typed} onChange={setTyped} error={fields.input} minRows={6} isFirst />
        <LastInputs agentId={agent.id} onChoose={setTyped} />
        <MoreFields>
          <TextInput
            label="Name"
            description="To find it in the list of runs."
            flex="1 1 12rem"
            value={name}
            error={fields.name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <MomentField
            label="Start after"
            description="The run waits until then."
            flex="1 1 12rem"
            value={startAfter}
            error={fields.start_after}
            onChange={setStartAfter}
          />
          <RunRuleFields rules={rules} errors={fields} onChange={setRules} />
        </MoreFields>
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
