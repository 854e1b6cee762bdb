/** The leads with a phone, sorted by their latest message. */
import { Button, Skeleton, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconBrandTelegram, IconBrandWhatsapp, IconSearch } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { StageBadge } from '../../leads/pages/stage.tsx';
import { t } from '../../ui/i18n.ts';
import { useEndpoint } from '../../ui/query.ts';
import { useShortcut } from '../../ui/shortcuts.ts';
import { listPhones, type Phone } from '../contract.ts';
import classes from './sandbox.module.css';

const READ_AGAIN_MS = 5000;
const SEARCH_AFTER_MS = 200;

interface PhoneListProps {
  chosen: number | null;
  onChoose: (contactId: number) => void;
}

export function PhoneList({ chosen, onChoose }: PhoneListProps) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), SEARCH_AFTER_MS);
  const input = useRef<HTMLInputElement>(null);
  useShortcut('/', t('Search'), () => input.current?.focus());
  const query = search === '' ? {} : { search };
  const phones = useEndpoint(listPhones, { query }, { keepPrevious: true, refetchInterval: READ_AGAIN_MS });
  return (
    <>
      <TextInput
        ref={input}
        type="search"
        aria-label={t('Search leads')}
        placeholder={t('Search leads')}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <div className={classes.rows}>
        {phones.isPending && (
          <Stack gap="xs" aria-busy>
            <Text size="xs" c="dimmed" role="status">
              {t('Loading {{entity}}...', { entity: t('phones') })}
            </Text>
            {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
              <Skeleton key={key} height={44} />
            ))}
          </Stack>
        )}
        {phones.isError && !phones.data && (
          <Stack gap="xs" align="flex-start" role="alert">
            <Text size="sm">{phones.error.message}</Text>
            <Button size="xs" variant="default" onClick={() => void phones.refetch()}>
              {t('Retry')}
            </Button>
          </Stack>
        )}
        {phones.data?.items.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('No {{entity}} found', { entity: t('phones') })}
          </Text>
        )}
        {phones.data?.items.map((phone) => (
          <PhoneRow key={phone.contact_id} phone={phone} chosen={phone.contact_id === chosen} onChoose={onChoose} />
        ))}
      </div>
    </>
  );
}

interface PhoneRowProps {
  phone: Phone;
  chosen: boolean;
  onChoose: (contactId: number) => void;
}

function PhoneRow({ phone, chosen, onChoose }: PhoneRowProps) {
  const Messenger = phone.contact_type === 'telegram' ? IconBrandTelegram : IconBrandWhatsapp;
  return (
    <UnstyledButton
      className={`${classes.row} ${chosen ? classes.chosen : ''}`}
      aria-current={chosen ? 'true' : undefined}
      onClick={() => onChoose(phone.contact_id)}
    >
      <Messenger
        size={18}
        role="img"
        aria-label={phone.contact_type === 'telegram' ? 'Telegram' : 'WhatsApp'}
        className={classes.messenger}
      />
      <span className={classes.rowText}>
        <Text component="span" size="sm" fw={500} truncate display="block">
          {phone.lead_name}
        </Text>
        <Text component="span" size="xs" c="dimmed" truncate display="block">
          {phone.contact} · {phone.product_name}
        </Text>
      </span>
      <StageBadge stage={phone.stage} />
    </UnstyledButton>
  );
}
