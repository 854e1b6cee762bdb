import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../ui/api.ts';
import { DeleteDialog } from '../../ui/DeleteDialog.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { type Field, valuesOf } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { QueryList } from '../../ui/QueryList.tsx';
import { keyOf, useEndpoint } from '../../ui/query.ts';
import { RowMenu } from '../../ui/RowMenu.tsx';
import { Section } from '../../ui/Section.tsx';
import { toast } from '../../ui/toast.ts';
import type { Lead } from '../contract.ts';
import { type LeadDocument, leadDocuments } from '../documentContract.ts';
import { leadDocumentsArgs } from './leadQueries.ts';

type OpenDialog = { edit: LeadDocument | null } | { remove: LeadDocument } | null;

/** Documents of a lead, which prompts can use. */
export function LeadDocuments({ lead }: { lead: Lead }) {
  const cache = useQueryClient();
  const [openDialog, setOpenDialog] = useState<OpenDialog>(null);
  const list = useEndpoint(leadDocuments.list, leadDocumentsArgs(lead.id));
  const refresh = () => void cache.invalidateQueries({ queryKey: keyOf(leadDocuments.list) });
  const close = () => setOpenDialog(null);
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
          onClick={() => setOpenDialog({ edit: null })}
        >
          {t('Add document')}
        </Button>
      }
    >
      <QueryList query={list} entity={t(leadDocuments.plural)}>
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
                    { label: t('Edit'), icon: IconPencil, run: () => setOpenDialog({ edit: document }) },
                    {
                      label: t('Delete'),
                      icon: IconTrash,
                      run: () => setOpenDialog({ remove: document }),
                      danger: true,
                    },
                  ]}
                />
              </Group>
            ))}
          </Stack>
        )}
      </QueryList>
      {openDialog && 'edit' in openDialog && (
        <FormDialog
          title={openDialog.edit ? t('Edit document') : t('New document')}
          fields={fields}
          initial={valuesOf(fields, openDialog.edit, { lead_id: lead.id })}
          draftKey={openDialog.edit ? `lead_document/${openDialog.edit.id}` : `lead_document/new/${lead.id}`}
          {...(openDialog.edit ? { reload: reread.bind(null, openDialog.edit.id) } : {})}
          submitLabel={openDialog.edit ? t('Save') : t('Create')}
          send={(body) =>
            openDialog.edit
              ? call(leadDocuments.replace, {
                  params: { id: openDialog.edit.id },
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
      {openDialog && 'remove' in openDialog && (
        <DeleteDialog
          what={t('the {{noun}} “{{name}}”', { noun: t('document'), name: openDialog.remove.name })}
          remove={() => call(leadDocuments.remove, { params: { id: openDialog.remove.id } })}
          onDone={() => {
            toast.success(t('Deleted {{name}}', { name: openDialog.remove.name }));
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
