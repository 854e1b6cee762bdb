import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../kit/api.ts';
import { DeleteDialog } from '../../kit/DeleteDialog.tsx';
import { FormDialog } from '../../kit/FormDialog.tsx';
import { type Field, valuesOf } from '../../kit/form.ts';
import { Loaded } from '../../kit/Loaded.tsx';
import { keyOf, useEndpoint } from '../../kit/query.ts';
import { RowMenu } from '../../kit/RowMenu.tsx';
import { Section } from '../../kit/Section.tsx';
import { t } from '../../kit/t.ts';
import { toast } from '../../kit/toast.ts';
import type { Lead } from '../contract.ts';
import { type LeadDocument, leadDocuments } from '../documentContract.ts';
import { documentsOfLead } from './talks.ts';

type Doing = { edit: LeadDocument | null } | { remove: LeadDocument } | null;

/** Texts about a lead that prompts can name. */
export function LeadDocuments({ lead }: { lead: Lead }) {
  const cache = useQueryClient();
  const [doing, setDoing] = useState<Doing>(null);
  const list = useEndpoint(leadDocuments.list, documentsOfLead(lead.id));
  const refresh = () => void cache.invalidateQueries({ queryKey: keyOf(leadDocuments.list) });
  const close = () => setDoing(null);
  const fields = documentFields();
  const reread = async (id: number) => valuesOf(fields, await call(leadDocuments.get, { params: { id } }));
  return (
    <Section
      title={t('Documents')}
      actions={
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size="1rem" />}
          onClick={() => setDoing({ edit: null })}
        >
          {t('Add document')}
        </Button>
      }
    >
      <Loaded query={list} entity={t(leadDocuments.plural)}>
        {({ items }) => (
          <Stack gap="xs">
            {items.map((document) => (
              <Group key={document.id} gap="xs" justify="space-between" wrap="nowrap">
                <Text size="sm" truncate>
                  {document.document_url === null ? (
                    document.name
                  ) : (
                    <Anchor inherit href={document.document_url} target="_blank" rel="noopener noreferrer">
                      {document.name}
                    </Anchor>
                  )}{' '}
                  <Text span inherit c="dimmed">
                    {`document.${document.type}`}
                  </Text>
                </Text>
                <RowMenu
                  name={document.name}
                  actions={[
                    { label: t('Edit'), icon: IconPencil, run: () => setDoing({ edit: document }) },
                    { label: t('Delete'), icon: IconTrash, run: () => setDoing({ remove: document }), danger: true },
                  ]}
                />
              </Group>
            ))}
          </Stack>
        )}
      </Loaded>
      {doing && 'edit' in doing && (
        <FormDialog
          title={doing.edit ? t('Edit document') : t('New document')}
          fields={fields}
          initial={valuesOf(fields, doing.edit, { lead_id: lead.id })}
          place={doing.edit ? `lead_document/${doing.edit.id}` : `lead_document/new/${lead.id}`}
          {...(doing.edit ? { reread: reread.bind(null, doing.edit.id) } : {})}
          submitLabel={doing.edit ? t('Save') : t('Create')}
          send={(body) =>
            doing.edit
              ? call(leadDocuments.replace, {
                  params: { id: doing.edit.id },
                  body: leadDocuments.replace.body.parse(body),
                })
              : call(leadDocuments.create, { body: leadDocuments.create.body.parse(body) })
          }
          onDone={(saved) => {
            toast.success(t('Saved {{name}}', { name: saved.name }));
            refresh();
          }}
          onClose={close}
        />
      )}
      {doing && 'remove' in doing && (
        <DeleteDialog
          what={t('the {{noun}} “{{name}}”', { noun: t('document'), name: doing.remove.name })}
          remove={() => call(leadDocuments.remove, { params: { id: doing.remove.id } })}
          onDone={() => {
            toast.success(t('Deleted {{name}}', { name: doing.remove.name }));
            refresh();
          }}
          onClose={close}
        />
      )}
    </Section>
  );
}

function documentFields(): Field[] {
  return [
    { kind: 'hidden', name: 'lead_id', label: t('Lead') },
    { kind: 'text', name: 'name', label: t('Name'), required: true },
    {
      kind: 'text',
      name: 'type',
      label: t('Type'),
      required: true,
      description: t('A prompt names the text by it: document.offer'),
    },
    { kind: 'textarea', name: 'document.text_data', label: t('Text'), empty: '', rows: 12 },
    { kind: 'text', name: 'document_url', label: t('Link'), placeholder: 'https://' },
  ];
}
