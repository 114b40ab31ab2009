set local lock_timeout = '5s';

-- What an entry says beside its four rates: rates of other kinds of tokens and of long input, fees of units, factors of tiers.
alter table prices add column detail json;
