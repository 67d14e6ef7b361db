import { Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { ApiError } from '../api/request.js';
import { beginStepUp, proveStepUp } from '../api/second-factor.js';
import { ErrorNotice } from './error-notice.js';
import { Pending } from './pending.js';
import { ProofForm } from './proof-form.js';
import { showOverlay } from './overlay.js';

/** The open question. Requests that are refused meanwhile wait for the same answer. */
let open: Promise<void> | undefined;
let count = 0;

/**
 * Asks the person to confirm that it is them, over the page, which stays unchanged.
 *
 * @throws ApiError if they do not
 */
export function stepUp(): Promise<void> {
  open ??= ask().finally(() => (open = undefined));
  return open;
}

function ask(): Promise<void> {
  return new Promise((resolve, reject) => {
    // the dialog before this one may still be closing
    const key = ++count;
    const show = (isOpen: boolean) =>
      showOverlay({
        content: <StepUpDialog key={key} isOpen={isOpen} onDone={done} onCancel={cancel} />,
        onEscape: cancel,
      });
    const done = () => {
      show(false);
      resolve();
    };
    const cancel = () => {
      show(false);
      reject(new ApiError(403, ['You did not confirm your identity, so nothing was changed.']));
    };
    show(true);
  });
}

interface QuestionProps {
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

function StepUpDialog({ isOpen, ...question }: QuestionProps & { readonly isOpen: boolean }) {
  const [isMounted, setMounted] = useState(false);
  // the focus returns to where it was only from a dialog that was closed before
  useEffect(() => setMounted(true), []);
  return (
    <Modal
      opened={isMounted && isOpen}
      onClose={question.onCancel}
      onExitTransitionEnd={() => showOverlay(null)}
      title="Confirm your identity"
      closeOnClickOutside={false}
      closeOnEscape={false}
      // above a dialog of the page, and below that of a session that is over
      zIndex={240}
    >
      <Stack>
        <Text size="sm">
          This change affects who can sign in, so your identity must have been confirmed within the last ten
          minutes.
        </Text>
        <Question {...question} />
      </Stack>
    </Modal>
  );
}

function Question({ onDone, onCancel }: QuestionProps) {
  const begin = useMutation({ mutationFn: beginStepUp });
  const beginNow = useEffectEvent(() => begin.mutate());
  useEffect(() => beginNow(), []);
  if (begin.error) {
    return (
      <ErrorNotice
        title="Your identity can’t be confirmed right now"
        error={begin.error}
        onRetry={() => begin.mutate()}
      />
    );
  }
  if (!begin.data) return <Pending rows={2} />;
  const challenge = begin.data;
  return (
    <ProofForm
      key={challenge.token}
      challenge={challenge}
      label="Confirm"
      cancelLabel="Cancel"
      failureTitle="Not confirmed"
      prove={async (proof) => {
        await proveStepUp(challenge.token, proof);
        onDone();
      }}
      onExpired={() => begin.mutate()}
      onCancel={onCancel}
    />
  );
}
