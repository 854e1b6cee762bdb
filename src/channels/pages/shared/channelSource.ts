import { type OptionSource, optionSource } from '../../../ui/optionSource.ts';
import { type Channel, channels } from '../../contract.ts';

interface ChannelSourceOptions {
  labelOf: (channel: Channel) => string;
  query?: Readonly<Record<string, unknown>>;
  accepts?: (channel: Channel) => boolean;
}

/**
 * Return the channels that products of a company may write from: its own, those shared with it, and those of nobody. An
 * admin sees those of other companies too, which are not offered.
 */
export function channelSource(
  companyId: number | null,
  { labelOf, query, accepts = () => true }: ChannelSourceOptions,
): OptionSource {
  const isOfCompany = ({ company_id: owner, shared_company_ids: shared }: Channel) =>
    companyId === null || owner === null || owner === companyId || shared.includes(companyId);
  const source = optionSource({
    resource: channels,
    labelOf,
    query,
    accepts: (channel: Channel) => isOfCompany(channel) && accepts(channel),
  });
  return { ...source, listKey: [...source.listKey, 'of company', companyId] };
}
