/** The leads with a phone, sorted by their latest message. */
import { Text, UnstyledButton } from '@mantine/core';
import { IconBrandTelegram, IconBrandWhatsapp } from '@tabler/icons-react';
import { useState } from 'react';
import { StageBadge } from '../../leads/pages/shared/stage.tsx';
import { t } from '../../ui/i18n.ts';
import { QueryList } from '../../ui/QueryList.tsx';
import { useEndpoint } from '../../ui/query.ts';
import { SearchInput } from '../../ui/SearchInput.tsx';
import { listPhones, type Phone } from '../contract.ts';
import classes from './sandbox.module.css';

const READ_AGAIN_MS = 5000;

interface PhoneListProps {
  chosen: number | null;
  onChoose: (contactId: number) => void;
}

export function PhoneList({ chosen, onChoose }: PhoneListProps) {
  const [search, setSearch] = useState('');
  const query = search.trim() === '' ? {} : { search: search.trim() };
  const phones = useEndpoint(listPhones, { query }, { keepPrevious: true, refetchInterval: READ_AGAIN_MS });
  return (
    <>
      <SearchInput label={t('Search leads')} value={search} onChange={setSearch} />
      <div className={classes.rows}>
        <QueryList query={phones} entity={t('phones')}>
          {({ items }) =>
            items.map((phone) => (
              <PhoneRow key={phone.contact_id} phone={phone} chosen={phone.contact_id === chosen} onChoose={onChoose} />
            ))
          }
        </QueryList>
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
  const isTelegram = phone.contact_type === 'telegram';
  const Messenger = isTelegram ? IconBrandTelegram : IconBrandWhatsapp;
  return (
    <UnstyledButton
      className={`${classes.row} ${chosen ? classes.chosen : ''}`}
      aria-current={chosen ? 'true' : undefined}
      onClick={() => onChoose(phone.contact_id)}
    >
      <Messenger size={18} role="img" aria-label={isTelegram ? 'Telegram' : 'WhatsApp'} className={classes.messenger} />
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
