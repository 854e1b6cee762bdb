/** Tags and owner of a lead, changed at once. */
import { Select, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { t } from '../../../ui/i18n.ts';
import { toast } from '../../../ui/toast.ts';
import type { Lead } from '../../contract.ts';
import { type MarkAction, markLead } from './markLead.ts';
import { useOwnerOptions } from './ownerOptions.ts';
import { TagsField } from './TagsField.tsx';

export function LeadMarks({ lead }: { lead: Pick<Lead, 'id' | 'product_id' | 'tags' | 'owner_id' | 'owner'> }) {
  const marking = useMutation({
    mutationFn: (action: MarkAction) => markLead(lead.id, action),
    onError: toast.failure,
  });
  const owners = useOwnerOptions(lead);
  // Shows the change at once; the answer confirms it.
  const pending = marking.isPending ? marking.variables : null;
  const ownerId = pending?.kind === 'set_owner' ? pending.owner_id : lead.owner_id;
  const tags =
    pending?.kind === 'change_tags'
      ? [...lead.tags.filter((one) => !pending.remove.includes(one)), ...pending.add]
      : lead.tags;
  return (
    <Stack gap="xs">
      <TagsField
        label={t('Tags')}
        size="xs"
        productId={lead.product_id}
        value={tags}
        onChange={(next) =>
          marking.mutate({
            kind: 'change_tags',
            add: next.filter((one) => !lead.tags.includes(one)),
            remove: lead.tags.filter((one) => !next.includes(one)),
          })
        }
      />
      <Select
        label={t('Owner')}
        size="xs"
        data={owners}
        value={ownerId === null ? null : String(ownerId)}
        placeholder={t('No owner')}
        searchable
        clearable={ownerId !== null}
        onChange={(id) => marking.mutate({ kind: 'set_owner', owner_id: id ? Number(id) : null })}
      />
    </Stack>
  );
}
