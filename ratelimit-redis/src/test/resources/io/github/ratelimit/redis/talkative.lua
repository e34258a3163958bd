-- A fixed window counter with more variables than a limit may have.

--: variables
made_n, index_n, count_n, one_n, two_n, three_n, four_n, five_n, agrees_n
