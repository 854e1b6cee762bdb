/** The controls of a generic form, one for each kind of field. */
import {
  Alert,
  Button,
  Checkbox,
  Input,
  NumberInput,
  PasswordInput,
  Select,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { IconAlertCircle, IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { type FocusEvent, useEffect, useId, useRef, useState } from 'react';
import { CrmFieldsInput } from './CrmFieldsInput.tsx';
import { asCrmEntries, asIds, asTexts, type Field } from './form.ts';
import { t } from './i18n.ts';
import { ReferenceSelect } from './ReferenceSelect.tsx';
import { ReferencesSelect } from './ReferencesSelect.tsx';
import type { FormState } from './useForm.ts';

/**
 * Marks the buttons at the end of a form. Pressing one does not validate the field that loses focus, because an error
 * message appearing there would move the button away from the pointer.
 */
export const FORM_END = { 'data-form-end': true };

interface FormFieldsProps {
  form: FormState;
  /** Whether the cursor is put into the first of them: not if others come before them. */
  takesFocus?: boolean;
}

export function FormFields({ form, takesFocus = true }: FormFieldsProps) {
  const box = useRef<HTMLDivElement>(null);
  const first = takesFocus && form.fields.find(({ kind }) => kind !== 'hidden' && kind !== 'readonly');
  useEffect(() => box.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus(), []);
  return (
    <Stack gap="sm" ref={box}>
      {form.generalErrors.length > 0 && (
        <Alert color="red" icon={<IconAlertCircle />} role="alert">
          {form.generalErrors.map((line) => (
            <Text key={line} size="sm">
              {line}
            </Text>
          ))}
        </Alert>
      )}
      {form.fields
        .filter((field) => !field.advanced)
        .map((field) => (
          <FieldControl key={field.name} field={field} form={form} first={field === first} />
        ))}
      <Advanced form={form} />
    </Stack>
  );
}

/** Rarely used fields, collapsed unless one of them has an error. */
function Advanced({ form }: { form: FormState }) {
  const fields = form.fields.filter((field) => field.advanced);
  const [opened, setOpened] = useState(false);
  const id = useId();
  if (fields.length === 0) return null;
  const expanded = opened || fields.some(({ name }) => form.errors[name] !== undefined);
  return (
    <>
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        style={{ alignSelf: 'flex-start' }}
        aria-expanded={expanded}
        aria-controls={id}
        leftSection={expanded ? <IconChevronDown size="1rem" /> : <IconChevronRight size="1rem" />}
        onClick={() => setOpened(!expanded)}
      >
        {t('Advanced')}
      </Button>
      <Stack gap="sm" id={id} hidden={!expanded} display={expanded ? undefined : 'none'}>
        {fields.map((field) => (
          <FieldControl key={field.name} field={field} form={form} first={false} />
        ))}
      </Stack>
    </>
  );
}

/** Props that every control takes. */
function commonProps(field: Field, form: FormState, first: boolean) {
  return {
    label: field.label,
    required: field.required ?? false,
    // Replaces the browser's native validation message, which would appear before ours.
    withAsterisk: field.required ?? false,
    error: form.errors[field.name],
    onBlur: (event: FocusEvent) => {
      const towards = event.relatedTarget;
      if (!(towards instanceof Element && towards.closest('[data-form-end]'))) form.blur(field.name);
    },
    // Dialogs use the same attribute for their initial focus. A select does not open then: it would lie over the form.
    ...(first ? { 'data-autofocus': true } : {}),
    ...(field.description === undefined ? {} : { description: field.description }),
    ...('placeholder' in field && field.placeholder !== undefined ? { placeholder: field.placeholder } : {}),
  };
}

interface SelectControlProps {
  field: Extract<Field, { kind: 'select' }>;
  common: ReturnType<typeof commonProps>;
  first: boolean;
  value: string;
  onChange: (next: unknown) => void;
}

function SelectControl({ field, common, first, value, onChange }: SelectControlProps) {
  const select = { ...common, clearable: !field.required, openOnFocus: !first };
  if ('source' in field) return <ReferenceSelect {...select} source={field.source} value={value} onChange={onChange} />;
  return (
    <Select
      {...select}
      data={[...field.options]}
      value={value === '' ? null : value}
      onChange={(next) => onChange(next ?? '')}
      searchable={field.options.length > 8}
      allowDeselect={false}
    />
  );
}

function FieldControl({ field, form, first }: { field: Field; form: FormState; first: boolean }) {
  const value = form.values[field.name];
  const change = (next: unknown) => form.set(field.name, next);
  const common = commonProps(field, form, first);
  const typed = {
    ...common,
    value: String(value ?? ''),
    onChange: (event: { currentTarget: { value: string } }) => change(event.currentTarget.value),
  };
  switch (field.kind) {
    case 'text':
      return <TextInput {...typed} />;
    case 'textarea':
      return <Textarea {...typed} autosize minRows={field.rows ?? 3} maxRows={Math.max(12, (field.rows ?? 0) * 2)} />;
    case 'password':
      return (
        <PasswordInput
          {...typed}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': t('Show or hide the password') }}
        />
      );
    case 'number':
      return (
        <NumberInput
          {...typed}
          allowDecimal={field.integer !== true}
          clampBehavior="none"
          onChange={(next) => change(String(next))}
        />
      );
    case 'boolean':
      return (
        <Switch
          label={field.label}
          description={field.description}
          error={common.error}
          checked={value === true}
          onChange={(event) => change(event.currentTarget.checked)}
        />
      );
    case 'select':
      return <SelectControl field={field} common={common} first={first} value={typed.value} onChange={change} />;
    case 'several':
      return <ReferencesSelect {...common} source={field.source} value={asIds(value)} onChange={change} />;
    case 'checks':
      return (
        <Checkbox.Group {...common} value={[...asTexts(value)]} onChange={change}>
          <Stack gap="xs" mt={4}>
            {field.options.map((option) => (
              <Checkbox key={option.value} value={option.value} label={option.label} />
            ))}
          </Stack>
        </Checkbox.Group>
      );
    case 'readonly':
      return (
        <Input.Wrapper label={field.label} labelElement="div" description={field.description}>
          <Text size="sm">{value === null || value === undefined || value === '' ? '–' : String(value)}</Text>
        </Input.Wrapper>
      );
    case 'crm_fields':
      return (
        <CrmFieldsInput
          label={field.label}
          description={field.description}
          error={common.error}
          value={asCrmEntries(value)}
          onChange={change}
        />
      );
    case 'hidden':
      return null;
    default:
      return field satisfies never;
  }
}
