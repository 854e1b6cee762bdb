import type { ChannelVendor } from '../../channels/contract.ts';

/** The vendor's own name, the same in every language. */
export const vendorName = (vendor: ChannelVendor): string => (vendor === 'chatpush' ? 'ChatPush' : 'Wazzup24');
