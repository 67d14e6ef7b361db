import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { fieldErrors } from '../../api/field-errors.js';
import { ErrorNotice } from '../../components/error-notice.js';

export interface ProjectNameDialogProps {
  readonly title: string;
  readonly submitLabel: string;
  readonly initial: string;
  readonly isBusy: boolean;
  /** The service's refusal; the input stays. */
  readonly error: Error | null;
  readonly onSubmit: (name: string) => void;
  readonly onClose: () => void;
}

/** Asks for the name of a project. */
export function ProjectNameDialog(props: ProjectNameDialogProps) {
  const { title, submitLabel, initial, isBusy, error, onSubmit, onClose } = props;
  const [name, setName] = useState(initial);
  const { fields, rest } = fieldErrors(error, ['name']);
  const wanted = name.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(wanted);
  };
  return (
    <Modal opened onClose={onClose} title={title}>
      <form onSubmit={submit}>
        <Stack>
          {error && rest.length > 0 && <ErrorNotice error={error} />}
          <TextInput
            label="Name"
            placeholder="Billing"
            maxLength={100}
            data-autofocus
            value={name}
            error={fields.name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy} disabled={wanted === '' || wanted === initial}>
              {submitLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
