/** The pages of channels, for the console's registry. */
import { IconAntenna, IconAntennaBars5 } from '@tabler/icons-react';
import { lazyPage, type PageEntry } from '../../ui/pages.ts';

export const channelPages: readonly PageEntry[] = [
  {
    key: 'channels',
    title: 'Channels',
    label: 'Channels',
    group: 'Admin',
    icon: IconAntennaBars5,
    order: 1,
    needs: null,
    ...lazyPage(() => import('./ChannelsPage.tsx')),
  },
  {
    key: 'settings-channel',
    title: 'Channel Settings',
    label: 'Channel',
    group: 'Settings',
    icon: IconAntenna,
    order: 2,
    needs: 'product',
    ...lazyPage(() => import('./ChannelSettingsPage.tsx')),
  },
];
