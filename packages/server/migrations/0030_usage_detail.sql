set local lock_timeout = '5s';

-- What a run used beside plain tokens, as it was charged: tier of service, other kinds of tokens, units, tokens of other models.
alter table runs add column usage_detail json;
