import { Checkbox } from '@mantine/core';
import { IconChecks } from '@tabler/icons-react';
import { useParams } from 'react-router';
import { type Approval, useApproval } from '../../api/approvals.js';
import { ApprovalCard } from '../../components/approval-card.js';
import { EntityId } from '../../components/entity-id.js';
import { shownText } from '../../components/hidden-characters.js';
import { useKeyChoice } from '../../components/key-choice.js';
import { PageHeader } from '../../components/page-header.js';
import { ResourcePage } from '../../components/resource-page.js';

const BACK = { to: '/approvals', label: 'Approvals' };

/** One approval, to which chat messages lead. */
export function ApprovalPage() {
  const { id = '' } = useParams();
  return (
    <ResourcePage
      noun="Approval"
      back={BACK}
      query={useApproval(id)}
      missingIcon={IconChecks}
      missingReason="It may have been decided long ago, its agent was deleted, or it belongs to somebody else."
    >
      {(approval) => <Loaded key={id} approval={approval} />}
    </ResourcePage>
  );
}

function Loaded({ approval }: { readonly approval: Approval }) {
  const [hasKeys, setHasKeys] = useKeyChoice();
  return (
    <>
      <PageHeader title={`Approval: ${shownText(approval.title)}`} back={BACK}>
        <EntityId id={approval.id} what="approval id" />
        <span>Key of its agent: {shownText(approval.approval_key)}</span>
      </PageHeader>
      <ApprovalCard approval={approval} isSelected hasKeys={hasKeys} />
      {approval.state === 'pending' && (
        <Checkbox
          mt="sm"
          size="xs"
          visibleFrom="sm"
          label="Keys: a approve, r reject, each pressed twice; Escape undoes"
          checked={hasKeys}
          onChange={(event) => setHasKeys(event.currentTarget.checked)}
        />
      )}
    </>
  );
}
