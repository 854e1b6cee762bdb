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

type OpenDialog = { edit: LeadDocument | null } | { remove: LeadDocument };

/** Documents of a lead, which prompts can use. */
export function LeadDocuments({ lead }: { lead: Lead }) {
  const [opened, setOpened] = useState<OpenDialog | null>(null);
  const list = useEndpoint(leadDocuments.list, leadDocumentsArgs(lead.id));
  return (
    <Section
      title={t('Documents')}
      actions={
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size="1rem" />}
          onClick={() => setOpened({ edit: null })}
        >
          {t('Add document')}
        </Button>
      }
    >
      <QueryList query={list} entity={t(leadDocuments.plural)}>
        {({ items }) => (
          <Stack gap="xs">
            {items.map((document) => (
              <DocumentRow key={document.id} document={document} onOpen={setOpened} />
            ))}
          </Stack>
        )}
      </QueryList>
      {opened && <DocumentDialog opened={opened} lead={lead} onClose={() => setOpened(null)} />}
    </Section>
  );
}

function DocumentRow({ document, onOpen }: { document: LeadDocument; onOpen: (opened: OpenDialog) => void }) {
  return (
    <Group gap="xs" justify="space-between" wrap="nowrap">
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
          { label: t('Edit'), icon: IconPencil, run: () => onOpen({ edit: document }) },
          { label: t('Delete'), icon: IconTrash, run: () => onOpen({ remove: document }), danger: true },
        ]}
      />
    </Group>
  );
}

function DocumentDialog({ opened, lead, onClose }: { opened: OpenDialog; lead: Lead; onClose: () => void }) {
  const cache = useQueryClient();
  const finish = (text: string) => {
    toast.success(text);
    void cache.invalidateQueries({ queryKey: keyOf(leadDocuments.list) });
  };
  if ('remove' in opened) {
    const { id, name } = opened.remove;
    return (
      <DeleteDialog
        what={t('the {{noun}} “{{name}}”', { noun: t('document'), name })}
        remove={() => call(leadDocuments.remove, { params: { id } })}
        onDone={() => finish(t('Deleted {{name}}', { name }))}
        onClose={onClose}
      />
    );
  }
  const fields = documentFields();
  const dialog = {
    fields,
    initial: valuesOf(fields, opened.edit, { lead_id: lead.id }),
    onDone: ({ name }: LeadDocument) => finish(t('Saved {{name}}', { name })),
    onClose,
  };
  if (opened.edit === null)
    return (
      <FormDialog
        {...dialog}
        title={t('New document')}
        draftKey={`lead_document/new/${lead.id}`}
        submitLabel={t('Create')}
        send={(body) => call(leadDocuments.create, { body: leadDocuments.create.body.parse(body) })}
      />
    );
  const params = { id: opened.edit.id };
  return (
    <FormDialog
      {...dialog}
      title={t('Edit document')}
      draftKey={`lead_document/${params.id}`}
      reload={async () => valuesOf(fields, await call(leadDocuments.get, { params }))}
      send={(body) => call(leadDocuments.replace, { params, body: leadDocuments.replace.body.parse(body) })}
    />
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
      description: t('Prompts use it to insert the text: document.offer'),
    },
    { kind: 'textarea', name: 'document.text_data', label: t('Text'), empty: '', rows: 12 },
    { kind: 'text', name: 'document_url', label: t('Link'), placeholder: 'https://' },
  ];
}
