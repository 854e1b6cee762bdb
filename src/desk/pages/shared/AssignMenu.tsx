/** The menu that assigns dialogues: to me, to a colleague, to nobody. */
import { Button, Menu } from '@mantine/core';
import { IconUserCheck } from '@tabler/icons-react';
import { t } from '../../../ui/i18n.ts';
import { useEndpoint } from '../../../ui/query.ts';
import { useScope } from '../../../ui/scope.ts';
import { listColleagues } from '../../contract.ts';
import classes from './desk.module.css';

/** How long the operators of a product are not read again, milliseconds. */
const FRESH_MS = 60_000;

interface AssignMenuProps {
  /** Only operators who can see all of these products can be chosen. */
  productIds: number[];
  /** Who sees to the dialogue now; undefined for several dialogues. */
  assignee?: { readonly id: number | null; readonly login: string | null };
  opened: boolean;
  onOpened: (opened: boolean) => void;
  /** Null: nobody. */
  onAssign: (operatorId: number | null) => void;
}

export function AssignMenu({ productIds, assignee, opened, onOpened, onAssign }: AssignMenuProps) {
  const { operator } = useScope();
  // Read before the menu opens: its first option has the focus, and must not move away from it.
  const colleagues = useEndpoint(listColleagues, { query: { product_id: productIds } }, { staleTime: FRESH_MS });
  const others = (colleagues.data?.items ?? []).filter(({ id }) => id !== operator.id);
  const login = assignee?.login ?? null;
  return (
    <Menu opened={opened} onChange={onOpened} position="bottom-start">
      <Menu.Target>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconUserCheck size={14} aria-hidden />}
          aria-label={login === null ? t('Assign') : t('Assigned to {{login}}', { login })}
          classNames={
            login === null
              ? { section: classes.actionIcon, label: classes.actionLabel }
              : { label: classes.actionLogin }
          }
        >
          {login ?? t('Assign')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah="20rem" style={{ overflow: 'auto' }}>
        <Menu.Label>{t('Assign to')}</Menu.Label>
        {assignee?.id !== operator.id && (
          <Menu.Item onClick={() => onAssign(operator.id)}>{t('Me ({{login}})', { login: operator.login })}</Menu.Item>
        )}
        {others.map((one) => (
          <Menu.Item key={one.id} disabled={one.id === assignee?.id} onClick={() => onAssign(one.id)}>
            {one.login}
          </Menu.Item>
        ))}
        {assignee?.id !== null && <Menu.Item onClick={() => onAssign(null)}>{t('Nobody')}</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
  );
}
